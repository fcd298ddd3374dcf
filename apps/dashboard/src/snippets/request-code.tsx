import { type JSX, type ReactNode, useState } from 'react';
import { CodeBlock } from '../ui/code-block.js';
import { SelectField } from '../ui/field.js';
import { CONTRACT_CHOICES, LANGUAGE_CHOICES } from './code-choices.js';
import { baseUrlOf, type Contract, type InferenceTarget, inferenceSnippet, type Language } from './inference-snippets.js';

export interface RequestCodeProps {
  readonly target: InferenceTarget;
  /** Right after a key was made; absent = a placeholder that says what belongs there. */
  readonly apiKey?: string;
  /** What else is chosen, beside contract and language. */
  readonly choice?: ReactNode;
}

/** Where clients call a deployment, and a first request by contract and language. */
export function RequestCode({ target, apiKey, choice }: RequestCodeProps): JSX.Element {
  const [contract, setContract] = useState<Contract>('chat');
  const [language, setLanguage] = useState<Language>('curl');
  return (
    <>
      <div className="grid gap-3 sm:grid-flow-col sm:auto-cols-fr">
        {choice}
        <SelectField
          label="Contract"
          choices={CONTRACT_CHOICES}
          value={contract}
          onChange={({ target: { value } }) => setContract(value === 'messages' ? 'messages' : 'chat')}
        />
        <SelectField
          label="Language"
          choices={LANGUAGE_CHOICES}
          value={language}
          onChange={({ target: { value } }) => setLanguage(LANGUAGE_CHOICES.find((one) => one.value === value)?.value ?? 'curl')}
        />
      </div>
      <CodeBlock label="Base URL" text={baseUrlOf(target, contract)} />
      <CodeBlock label="First request" text={inferenceSnippet(contract, language, target, apiKey)} />
    </>
  );
}
