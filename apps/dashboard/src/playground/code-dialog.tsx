import { type JSX, useState } from 'react';
import { useAddresses } from '../api/use-call.js';
import { CodeChoiceFields } from '../snippets/code-choice-fields.js';
import type { Contract, Language } from '../snippets/inference-snippets.js';
import { requestSnippet } from '../snippets/request-snippets.js';
import { CodeBlock } from '../ui/code-block.js';
import { Dialog } from '../ui/dialog.js';
import { type Ask, requestBody } from './request-body.js';

/** A question as a program asks it, in both contracts. */
export function CodeDialog({
  ask,
  contract: asked,
  onClose,
}: {
  readonly ask: Ask;
  readonly contract: Contract;
  readonly onClose: () => void;
}): JSX.Element {
  const addresses = useAddresses();
  const [contract, setContract] = useState(asked);
  const [language, setLanguage] = useState<Language>('curl');
  const target = { gateway: addresses?.gateway_url ?? '', path: ask.model, model: ask.model };
  return (
    <Dialog title="This request as code" wide onClose={onClose}>
      <div className="grid gap-3 sm:grid-cols-2">
        <CodeChoiceFields contract={contract} language={language} onContract={setContract} onLanguage={setLanguage} />
      </div>
      {addresses && <CodeBlock label="Request" text={requestSnippet(contract, language, target, requestBody(contract, ask))} />}
      <p className="text-sm text-muted">
        It reads a deployment key from the variable <code className="font-mono">SLIPWAY_API_KEY</code>.
        {contract !== asked && ' Settings that this contract lacks are left out.'}
      </p>
    </Dialog>
  );
}
