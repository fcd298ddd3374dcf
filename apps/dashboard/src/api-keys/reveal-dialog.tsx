import type { JSX } from 'react';
import { useAddresses, useCall } from '../api/use-call.js';
import { useAccount } from '../session/use-session.js';
import { RequestCode } from '../snippets/request-code.js';
import { Button } from '../ui/button.js';
import { SecretField } from '../ui/copy-field.js';
import { Dialog, DialogButtons } from '../ui/dialog.js';
import { Notice } from '../ui/notice.js';
import { targetOf } from '../deployments/inference-target.js';

export interface RevealDialogProps {
  readonly name: string;
  readonly value: string;
  readonly onDone: () => void;
}

/** Shows a new value, once. Neither Esc nor a click outside closes it: that would lose the key. */
export function RevealDialog({ name, value, onDone }: RevealDialogProps): JSX.Element {
  const { slug } = useAccount();
  const addresses = useAddresses();
  const deployments = useCall('deployments/list', {});
  const first = deployments.data?.deployments.find(({ state }) => state === 'ready') ?? deployments.data?.deployments[0];
  return (
    <Dialog title={`Key “${name}”`} wide>
      <Notice look="warn">Copy this key now. It is shown only once and cannot be recovered. If you lose it, rotate the key.</Notice>
      <SecretField label="Key" value={value} copy="Copy key" />
      {first && addresses && (
        <section className="grid grid-cols-[minmax(0,1fr)] gap-3">
          <h3 className="font-medium">Call {first.name} with it</h3>
          <RequestCode target={targetOf(addresses.gateway_url, slug, first)} apiKey={value} />
        </section>
      )}
      <DialogButtons>
        <Button look="main" onClick={onDone}>
          Done
        </Button>
      </DialogButtons>
    </Dialog>
  );
}
