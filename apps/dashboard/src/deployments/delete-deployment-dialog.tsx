import type { DeploymentView } from '@slipway/contracts';
import { useNavigate } from '@tanstack/react-router';
import { type JSX, type SyntheticEvent, useState } from 'react';
import { messageOf } from '../api/console-error.js';
import { useChange } from '../api/use-call.js';
import { useAccount } from '../session/use-session.js';
import { announce } from '../ui/announcements.js';
import { Button } from '../ui/button.js';
import { Dialog, DialogButtons } from '../ui/dialog.js';
import { TextField } from '../ui/field.js';
import { Notice } from '../ui/notice.js';
import { slugOf } from './inference-target.js';

/** Deletes for good, once its slug was typed. */
export function DeleteDeploymentDialog({
  deployment,
  onClose,
}: {
  readonly deployment: DeploymentView;
  readonly onClose: () => void;
}): JSX.Element {
  const [typed, setTyped] = useState('');
  const navigate = useNavigate();
  const { slug: account } = useAccount();
  const remove = useChange('deployments/delete', ['deployments/list', 'aliases/']);
  const slug = slugOf(deployment);
  const { aliases, name } = deployment;
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    remove.mutate(
      { deployment: deployment.id },
      {
        onSuccess: () => {
          announce(`“${name}” is deleted.`);
          void navigate({ to: '/$account/deployments', params: { account } });
        },
      },
    );
  };
  return (
    <Dialog title={`Delete “${name}”`} onClose={onClose}>
      <form className="grid gap-4" onSubmit={submit}>
        <p>
          Requests to it get 404
          {aliases.length > 0 ? `, also those to its ${aliases.length === 1 ? 'alias' : 'aliases'} ${aliases.join(', ')}` : ''}. This cannot
          be undone. Its usage stays in the records.
        </p>
        <TextField
          label={`Type ${slug} to delete it`}
          autoComplete="off"
          spellCheck={false}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
        {remove.isError && <Notice look="bad">{messageOf(remove.error)}</Notice>}
        <DialogButtons>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="danger" busy={remove.isPending} disabled={typed.trim() !== slug}>
            Delete deployment
          </Button>
        </DialogButtons>
      </form>
    </Dialog>
  );
}
