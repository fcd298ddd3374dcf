import type { JSX, ReactNode } from 'react';
import { CodeBlock } from '../ui/code-block.js';
import { CodePane } from '../ui/code-pane.js';
import { useCodeChoice } from './code-choice.js';
import { CONTRACT_CHOICES, LANGUAGE_CHOICES } from './code-choices.js';
import { baseUrlOf, type Contract, exportLine, type InferenceTarget, inferenceSnippet, type Language } from './inference-snippets.js';

export interface RequestCodeProps {
  readonly target: InferenceTarget;
  /** Right after a key was made; absent = the variable that holds it. */
  readonly apiKey?: string;
  /** What else is chosen, above the code. */
  readonly choice?: ReactNode;
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
    <div role="group" aria-label="Contract" className="flex rounded-md border border-line bg-surface p-0.5">
      {CONTRACT_CHOICES.map(({ value: contract, label, short }) => (
        <button
          key={contract}
          type="button"
          title={label}
          aria-pressed={contract === value}
          onClick={() => onChange(contract)}
          className="min-h-6 rounded-sm px-2 text-xs whitespace-nowrap text-muted hover:text-ink aria-pressed:bg-sunken aria-pressed:font-medium aria-pressed:text-ink pointer-coarse:min-h-11"
        >
          {short}
        </button>
      ))}
    </div>
  );
}

/** Where clients call a deployment, and a first request by contract and language. */
export function RequestCode({ target, apiKey, choice }: RequestCodeProps): JSX.Element {
  const [{ contract, language }, choose] = useCodeChoice();
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
        choices={<ContractSwitch value={contract} onChange={(next) => choose({ contract: next })} />}
        {...(apiKey === undefined && { before: { label: 'Your key', text: exportLine() } })}
      />
    </>
  );
}
