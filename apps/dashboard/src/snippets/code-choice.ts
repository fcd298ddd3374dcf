import { useState } from 'react';
import { CONTRACT_CHOICES, LANGUAGE_CHOICES } from './code-choices.js';
import type { Contract, Language } from './inference-snippets.js';

const STORED = 'slipway.code';

/** What code is shown in. */
export interface CodeChoice {
  readonly contract: Contract;
  readonly language: Language;
}

const knownIn = <T extends string>(choices: readonly { readonly value: T }[], value: unknown): T | undefined =>
  choices.find((choice) => choice.value === value)?.value;

/** A choice out of what was stored; for what cannot be read chat completions by curl. */
export function readChoice(stored: string | null): CodeChoice {
  const [language, contract] = (stored ?? '').split(' ');
  return { language: knownIn(LANGUAGE_CHOICES, language) ?? 'curl', contract: knownIn(CONTRACT_CHOICES, contract) ?? 'chat' };
}

function stored(): CodeChoice {
  try {
    return readChoice(localStorage.getItem(STORED));
  } catch {
    // Storage may be switched off.
    return readChoice(null);
  }
}

/** The language and contract that somebody chose last, kept for the next time. */
export function useCodeChoice(): readonly [CodeChoice, (change: Partial<CodeChoice>) => void] {
  const [choice, setChoice] = useState(stored);
  const choose = (change: Partial<CodeChoice>): void => {
    const next = { ...choice, ...change };
    setChoice(next);
    try {
      localStorage.setItem(STORED, `${next.language} ${next.contract}`);
    } catch {
      // Then it holds until the page is left.
    }
  };
  return [choice, choose];
}
