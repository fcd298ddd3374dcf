import type { DeploymentView } from '@slipway/contracts';
import { type JSX, lazy, Suspense, useState } from 'react';
import { useForm } from 'react-hook-form';
import { messageOf } from '../api/console-error.js';
import { useCall, useChange } from '../api/use-call.js';
import { OverrideField } from '../rollouts/override-field.js';
import { useAccount } from '../session/use-session.js';
import { announce } from '../ui/announcements.js';
import { Button } from '../ui/button.js';
import { CopyButton } from '../ui/copy-button.js';
import { ConfirmDialog } from '../ui/confirm-dialog.js';
import { TextField } from '../ui/field.js';
import { fieldOf, Form, FormDialog, without } from '../ui/form.js';
import { Notice } from '../ui/notice.js';
import { Panel } from '../ui/page.js';
import { useNow } from '../ui/use-now.js';
import { lastRange } from '../usage/usage-range.js';
import { faultOfAlias } from './deployment-draft.js';
import { impactText } from './deployment-impact.js';

const StartRolloutDialog = lazy(async () => ({ default: (await import('../rollouts/start-rollout-dialog.js')).StartRolloutDialog }));

/** An alias of another deployment that a person wants here. */
interface Move {
  readonly alias: string;
  readonly from: number;
}

/** The aliases of a deployment. One that belongs to another is moved here only after a question. */
export function AliasesPanel({ deployment }: { readonly deployment: DeploymentView }): JSX.Element {
  const [removing, setRemoving] = useState<string | null>(null);
  const [moving, setMoving] = useState<string | null>(null);
  return (
    <Panel title="Aliases">
      <AliasList aliases={deployment.aliases} onRemove={setRemoving} onMove={setMoving} />
      <AddAlias id={deployment.id} />
      {moving !== null && (
        <Suspense>
          <StartRolloutDialog alias={moving} stable={deployment.id} onClose={() => setMoving(null)} />
        </Suspense>
      )}
      {removing !== null && <RemoveAliasDialog alias={removing} onClose={() => setRemoving(null)} />}
    </Panel>
  );
}

interface AliasListProps {
  readonly aliases: readonly string[];
  readonly onRemove: (alias: string) => void;
  /** Begins a rollout. */
  readonly onMove: (alias: string) => void;
}

function AliasList({ aliases, onRemove, onMove }: AliasListProps): JSX.Element {
  const { slug } = useAccount();
  if (aliases.length === 0) return <p className="text-muted">No alias yet: clients call it by its slug.</p>;
  return (
    <ul className="grid gap-1">
      {aliases.map((one) => (
        <li key={one} className="flex flex-wrap items-center gap-2">
          <code className="min-w-0 flex-1 font-mono text-sm break-all">
            {slug}/{one}
          </code>
          <CopyButton text={`${slug}/${one}`} look="quiet" aria-label={`Copy ${slug}/${one}`} />
          <Button look="quiet" aria-label={`Roll out ${one}`} onClick={() => onMove(one)}>
            Roll out…
          </Button>
          <Button look="quiet" aria-label={`Remove ${one}`} onClick={() => onRemove(one)}>
            Remove
          </Button>
        </li>
      ))}
    </ul>
  );
}

const faultOfName = (text: string): string | null => (text.trim() === '' ? 'Enter a name.' : faultOfAlias(text.trim()));

function AddAlias({ id }: { readonly id: number }): JSX.Element {
  const { slug } = useAccount();
  const all = useCall('aliases/list', {});
  const point = useChange('aliases/point', ['aliases/', 'deployments/']);
  const form = useForm({ defaultValues: { alias: '', override: '' } });
  const [move, setMove] = useState<Move | null>(null);
  /** @param from the deployment from which a person agreed to take it; null for a new alias */
  const pointHere = async (alias: string, from: number | null): Promise<void> => {
    const override = form.getValues('override').trim();
    await point.mutateAsync({ alias, deployment: id, from, ...(override !== '' && { override }) });
    announce(`${slug}/${alias} points here.`);
    form.reset();
    setMove(null);
  };
  const submit = async ({ alias: text }: { readonly alias: string }): Promise<void> => {
    const alias = text.trim();
    const taken = all.data?.aliases.find((one) => one.alias === alias && one.deployment !== id);
    if (taken) setMove({ alias, from: taken.deployment });
    else await pointHere(alias, null);
  };
  const button = (
    <div>
      <Button type="submit" busy={form.formState.isSubmitting} disabled={!all.data}>
        Point it here
      </Button>
    </div>
  );
  return (
    <>
      <Form form={form} submit={submit} buttons={button}>
        <TextField
          label="Add an alias"
          autoComplete="off"
          spellCheck={false}
          hint="A name that stays when another deployment takes over."
          {...fieldOf(form, 'alias', { validate: without(faultOfName) })}
        />
        <OverrideField deployment={id} {...fieldOf(form, 'override')} />
        {all.isError && <Notice look="bad">{messageOf(all.error)}</Notice>}
      </Form>
      {move && <MoveAliasDialog move={move} onMove={() => pointHere(move.alias, move.from)} onClose={() => setMove(null)} />}
    </>
  );
}

interface MoveAliasDialogProps {
  readonly move: Move;
  readonly onMove: () => Promise<void>;
  readonly onClose: () => void;
}

function MoveAliasDialog({ move: { alias, from }, onMove, onClose }: MoveAliasDialogProps): JSX.Element {
  const { slug } = useAccount();
  const form = useForm();
  return (
    <FormDialog title={`Re-point “${alias}”`} action="Re-point it" form={form} submit={onMove} onClose={onClose}>
      <p>
        {slug}/{alias} points at deployment-{from}. New requests to it will come here at once; running ones stay where they are.
      </p>
    </FormDialog>
  );
}

/** Requests by this alias in the last hour. */
function AliasImpact({ alias }: { readonly alias: string }): JSX.Element {
  const { from, to } = lastRange('1h', useNow());
  const { data } = useCall('usage/query', { from, to, step: 'total', group_by: ['deployment', 'key'], alias });
  if (!data) return <span className="text-muted">Looking up its usage…</span>;
  return <span>{impactText(data.rows, [...new Set(data.rows.flatMap(({ deployment }) => deployment ?? []))])}</span>;
}

function RemoveAliasDialog({ alias, onClose }: { readonly alias: string; readonly onClose: () => void }): JSX.Element {
  const { slug } = useAccount();
  const remove = useChange('aliases/remove', ['aliases/', 'deployments/']);
  return (
    <ConfirmDialog
      title={`Remove “${alias}”`}
      action="Remove alias"
      impact={<AliasImpact alias={alias} />}
      onConfirm={async () => {
        await remove.mutateAsync({ alias });
        announce(`${slug}/${alias} is removed.`);
        onClose();
      }}
      onClose={onClose}
    >
      <p>
        New requests to {slug}/{alias} get 404. The deployment and its slug stay.
      </p>
    </ConfirmDialog>
  );
}
