import { type JSX, useState } from 'react';
import { useCodeChoice } from '../snippets/code-choice.js';
import { LANGUAGE_CHOICES } from '../snippets/code-choices.js';
import { type Contract, exportLine, type InferenceTarget } from '../snippets/inference-snippets.js';
import { ContractSwitch, FENCES } from '../snippets/request-code.js';
import { requestSnippet } from '../snippets/request-snippets.js';
import { CodePane } from '../ui/code-pane.js';
import { Dialog } from '../ui/dialog.js';
import { type Ask, requestBody } from './request-body.js';

export interface CodeDialogProps {
  readonly ask: Ask;
  readonly target: InferenceTarget;
  readonly contract: Contract;
  readonly onClose: () => void;
}

/** A question as a program asks it, in any contract. */
export function CodeDialog({ ask, target, contract: asked, onClose }: CodeDialogProps): JSX.Element {
  const [contract, setContract] = useState(asked);
  const [{ language }, choose] = useCodeChoice();
  const body = requestBody(contract, { ...ask, model: target.model });
  const tabs = LANGUAGE_CHOICES.map(({ value, label }) => {
    return { value, label, language: FENCES[value], text: requestSnippet(contract, value, target, body) };
  });
  return (
    <Dialog title="This request as code" wide onClose={onClose}>
      <CodePane
        label="Request"
        tabs={tabs}
        value={language}
        onChange={(next) => choose({ language: next })}
        choices={<ContractSwitch value={contract} onChange={setContract} />}
        before={{ label: 'Your key', text: exportLine() }}
      />
      {contract !== asked && <p className="text-sm text-muted">Settings that this contract does not have are left out.</p>}
    </Dialog>
  );
}
