import type { DeploymentView } from '@slipway/contracts';
import { type JSX, type SyntheticEvent, useState } from 'react';
import { messageOf } from '../api/console-error.js';
import { useCall, useChange } from '../api/use-call.js';
import { useAccount } from '../session/use-session.js';
import { announce } from '../ui/announcements.js';
import { Button } from '../ui/button.js';
import { CopyButton } from '../ui/copy-button.js';
import { Dialog, DialogButtons } from '../ui/dialog.js';
import { TextField } from '../ui/field.js';
import { Notice } from '../ui/notice.js';
import { Panel } from '../ui/page.js';
import { faultOfAlias } from './deployment-draft.js';

type Asking =
  { readonly kind: 'move'; readonly alias: string; readonly from: number } | { readonly kind: 'remove'; readonly alias: string };

/** The aliases of a deployment. One that belongs to another is taken over only after a question. */
export function AliasesPanel({ deployment }: { readonly deployment: DeploymentView }): JSX.Element {
  const { slug } = useAccount();
  const all = useCall('aliases/list', {});
  const point = useChange('aliases/point', ['aliases/', 'deployments/']);
  const [alias, setAlias] = useState('');
  const [tried, setTried] = useState(false);
  const [asking, setAsking] = useState<Asking | null>(null);
  const name = alias.trim();
  const fault = name === '' ? 'Give the alias a name.' : faultOfAlias(name);
  /** @param from the deployment that it is taken from, as somebody has seen and agreed; null for a new one */
  const pointHere = (from: number | null): void =>
    point.mutate(
      { alias: name, deployment: deployment.id, from },
      {
        onSuccess: () => {
          announce(`${slug}/${name} points here.`);
          setAlias('');
          setTried(false);
          setAsking(null);
        },
      },
    );
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    setTried(true);
    if (fault !== null || !all.data) return;
    const taken = all.data.aliases.find((one) => one.alias === name && one.deployment !== deployment.id);
    if (taken) setAsking({ kind: 'move', alias: name, from: taken.deployment });
    else pointHere(null);
  };
  return (
    <Panel title="Aliases">
      {deployment.aliases.length === 0 ? (
        <p className="text-muted">No alias points here: clients call it by its slug.</p>
      ) : (
        <ul className="grid gap-1">
          {deployment.aliases.map((one) => (
            <li key={one} className="flex flex-wrap items-center gap-2">
              <code className="min-w-0 flex-1 font-mono text-sm break-all">
                {slug}/{one}
              </code>
              <CopyButton text={`${slug}/${one}`} look="quiet" aria-label={`Copy ${slug}/${one}`} />
              <Button look="quiet" aria-label={`Remove ${one}`} onClick={() => setAsking({ kind: 'remove', alias: one })}>
                Remove
              </Button>
            </li>
          ))}
        </ul>
      )}
      <form className="grid gap-3" onSubmit={submit}>
        <TextField
          label="Add an alias"
          autoComplete="off"
          spellCheck={false}
          hint="A name that stays when another deployment takes over."
          value={alias}
          fault={point.isError ? messageOf(point.error) : (tried && fault) || null}
          onChange={(event) => setAlias(event.target.value)}
        />
        {all.isError && <Notice look="bad">{messageOf(all.error)}</Notice>}
        <div>
          <Button type="submit" busy={point.isPending} disabled={!all.data}>
            Point it here
          </Button>
        </div>
      </form>
      {asking?.kind === 'move' && (
        <Dialog title={`Re-point “${asking.alias}”`} onClose={() => setAsking(null)}>
          <p>
            {slug}/{asking.alias} points at deployment-{asking.from}. New requests to it will come here at once; running ones stay where
            they are.
          </p>
          {point.isError && <Notice look="bad">{messageOf(point.error)}</Notice>}
          <DialogButtons>
            <Button onClick={() => setAsking(null)}>Cancel</Button>
            <Button look="main" busy={point.isPending} onClick={() => pointHere(asking.from)}>
              Re-point it
            </Button>
          </DialogButtons>
        </Dialog>
      )}
      {asking?.kind === 'remove' && <RemoveAliasDialog alias={asking.alias} onClose={() => setAsking(null)} />}
    </Panel>
  );
}

function RemoveAliasDialog({ alias, onClose }: { readonly alias: string; readonly onClose: () => void }): JSX.Element {
  const { slug } = useAccount();
  const remove = useChange('aliases/remove', ['aliases/', 'deployments/']);
  return (
    <Dialog title={`Remove “${alias}”`} onClose={onClose}>
      <p>
        New requests to {slug}/{alias} get 404. The deployment and its slug stay.
      </p>
      {remove.isError && <Notice look="bad">{messageOf(remove.error)}</Notice>}
      <DialogButtons>
        <Button onClick={onClose}>Cancel</Button>
        <Button look="danger" busy={remove.isPending} onClick={() => remove.mutate({ alias }, { onSuccess: onClose })}>
          Remove alias
        </Button>
      </DialogButtons>
    </Dialog>
  );
}
