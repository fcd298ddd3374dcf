import type { JSX, ReactNode } from 'react';
import { CodePane } from '../ui/code-pane.js';
import { CopyButton } from '../ui/copy-button.js';
import { Segmented } from '../ui/segmented.js';
import { useCodeChoice } from './code-choice.js';
import { CONTRACT_CHOICES, LANGUAGE_CHOICES } from './code-choices.js';
import {
  baseUrlOf,
  type CodeContract,
  type Contract,
  exportLine,
  inferenceSnippet,
  type InferenceTarget,
  type Language,
} from './inference-snippets.js';

export interface RequestCodeProps {
  readonly target: InferenceTarget;
  /** Right after a key was made; absent = the variable that holds it. */
  readonly apiKey?: string;
  /** What else is chosen, above the code. */
  readonly choice?: ReactNode;
  /** The deployment makes embeddings: there is one contract for them. */
  readonly embeds?: boolean;
}

/** How code fences name the languages. */
export const FENCES: Readonly<Record<Language, string>> = { curl: 'bash', python: 'python', typescript: 'typescript' };

/** The contracts side by side. */
export function ContractSwitch({
  value,
  onChange,
}: {
  readonly value: Contract;
  readonly onChange: (contract: Contract) => void;
}): JSX.Element {
  return (
    <Segmented
      label="Contract"
      choices={CONTRACT_CHOICES.map(({ value: contract, label, short }) => ({ value: contract, label: short, title: label }))}
      value={value}
      onChange={onChange}
    />
  );
}

/** Where clients call a deployment, and a first request by contract and language. */
export function RequestCode({ target, apiKey, choice, embeds = false }: RequestCodeProps): JSX.Element {
  const [{ contract: chosen, language }, choose] = useCodeChoice();
  const contract: CodeContract = embeds ? 'embeddings' : chosen;
  const tabs = LANGUAGE_CHOICES.map(({ value, label }) => {
    return { value, label, language: FENCES[value], text: inferenceSnippet(contract, value, target, apiKey) };
  });
  return (
    <>
      {choice}
      <CodeBlock label="Base URL" text={baseUrlOf(target, contract)} />
      <CodePane
        label="First request"
        tabs={tabs}
        value={language}
        onChange={(next) => choose({ language: next })}
        {...(!embeds && { choices: <ContractSwitch value={chosen} onChange={(next) => choose({ contract: next })} /> })}
        {...(apiKey === undefined && { before: { label: 'Your key', text: exportLine() } })}
      />
    </>
  );
}

/** Text to be pasted elsewhere. */
function CodeBlock({ label, text }: { readonly label: string; readonly text: string }): JSX.Element {
  return (
    <figure className="min-w-0 rounded-lg border border-line bg-sunken">
      <figcaption className="flex items-center justify-between gap-2 border-b border-line py-1 pr-1 pl-3 text-sm text-muted">
        <span className="min-w-0 truncate">{label}</span>
        <CopyButton text={text} look="quiet" />
      </figcaption>
      <pre role="region" aria-label={label} className="p-3 font-mono text-[0.8125rem] leading-relaxed wrap-anywhere whitespace-pre-wrap">
        <code>{text}</code>
      </pre>
    </figure>
  );
}
