import type { JSX, ReactNode } from 'react';
import { CodeBlock } from '../ui/code-block.js';
import { CodePane } from '../ui/code-pane.js';
import { Segmented } from '../ui/segmented.js';
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
    <Segmented
      label="Contract"
      choices={CONTRACT_CHOICES.map(({ value: contract, label, short }) => ({ value: contract, label: short, title: label }))}
      value={value}
      onChange={onChange}
    />
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
