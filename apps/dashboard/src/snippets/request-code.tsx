import { type JSX, type ReactNode, useState } from 'react';
import { CodeBlock } from '../ui/code-block.js';
import { CodeChoiceFields } from './code-choice-fields.js';
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
        <CodeChoiceFields contract={contract} language={language} onContract={setContract} onLanguage={setLanguage} />
      </div>
      <CodeBlock label="Base URL" text={baseUrlOf(target, contract)} />
      <CodeBlock label="First request" text={inferenceSnippet(contract, language, target, apiKey)} />
    </>
  );
}
