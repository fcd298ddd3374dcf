import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type JSX, type SyntheticEvent, useState } from 'react';
import { ConsoleError, messageOf } from '../api/console-error.js';
import { call, useAddresses } from '../api/use-call.js';
import { useAccount } from '../session/use-session.js';
import { announce } from '../ui/announcements.js';
import { Button } from '../ui/button.js';
import { Dialog, DialogButtons } from '../ui/dialog.js';
import { TextField } from '../ui/field.js';
import { Notice } from '../ui/notice.js';
import { type DeploymentDraft, EMPTY_DRAFT, type Faults, faultsOf, requestOf } from './deployment-draft.js';
import { type DraftFieldsProps, ServingFields } from './serving-fields.js';
import { SourceFields } from './source-fields.js';

/** Makes the deployment, and points its alias there; an alias that another deployment has is never taken from it here. */
async function create(draft: DeploymentDraft): Promise<number> {
  const alias = draft.alias.trim();
  if (alias !== '') {
    const taken = (await call('aliases/list', {})).aliases.find((one) => one.alias === alias);
    if (taken) {
      throw new ConsoleError(
        'alias_taken',
        `This alias points at deployment-${taken.deployment}. Choose another, or re-point it afterwards.`,
        'alias',
      );
    }
  }
  const { id } = await call('deployments/create', requestOf(draft));
  if (alias !== '') {
    await call('aliases/point', { alias, deployment: id, from: null }).catch((error: unknown) => {
      announce(`The deployment was made, but not its alias: ${messageOf(error)}`, 'bad');
    });
  }
  return id;
}

/** Which field an error of the services is about. */
function faultsFrom(error: unknown): Faults {
  if (!(error instanceof ConsoleError) || error.param === null) return {};
  const field =
    { default_max_tokens: 'defaultMaxTokens', 'source.path': 'path', 'source.url': 'url', 'source.uri': 'uri', 'source.model': 'model' }[
      error.param
    ] ?? error.param;
  return field in EMPTY_DRAFT ? { [field]: error.message } : {};
}

export function CreateDeploymentDialog({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const [draft, setDraft] = useState(EMPTY_DRAFT);
  const [tried, setTried] = useState(false);
  const navigate = useNavigate();
  const { slug: account } = useAccount();
  const client = useQueryClient();
  const make = useMutation({
    mutationFn: create,
    onSuccess: (id) => {
      void client.invalidateQueries({ queryKey: ['deployments/list'] });
      return navigate({ to: '/$account/deployments/$slug', params: { account, slug: `deployment-${id}` } });
    },
  });
  const mine = faultsOf(draft);
  const theirs = faultsFrom(make.error);
  const faults = tried ? { ...theirs, ...mine } : {};
  const change = (part: Partial<DeploymentDraft>): void => {
    make.reset();
    setDraft({ ...draft, ...part });
  };
  const submit = (event: SyntheticEvent<HTMLFormElement>): void => {
    event.preventDefault();
    setTried(true);
    const { currentTarget: form } = event;
    if (Object.keys(mine).length === 0) make.mutate(draft);
    else requestAnimationFrame(() => form.querySelector<HTMLElement>('[aria-invalid]')?.focus());
  };
  return (
    <Dialog title="Create deployment" onClose={onClose} wide>
      <form className="grid gap-4" onSubmit={submit} noValidate>
        <TextField
          label="Name"
          autoComplete="off"
          maxLength={100}
          value={draft.name}
          fault={faults.name}
          onChange={(event) => change({ name: event.target.value })}
        />
        <SourceFields draft={draft} faults={faults} onChange={change} />
        <TextField
          label="Alias"
          autoComplete="off"
          spellCheck={false}
          hint={<AliasHint alias={draft.alias.trim()} />}
          value={draft.alias}
          fault={faults.alias}
          onChange={(event) => change({ alias: event.target.value })}
        />
        <SizeFields draft={draft} faults={faults} onChange={change} />
        {make.isError && Object.keys(theirs).length === 0 && <Notice look="bad">{messageOf(make.error)}</Notice>}
        <DialogButtons>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="main" busy={make.isPending}>
            Create deployment
          </Button>
        </DialogButtons>
      </form>
    </Dialog>
  );
}

const SIZE_FIELDS = ['context', 'slots', 'replicas', 'defaultMaxTokens'] as const;

/** Fields that most people leave alone; open where one is wrong. */
function SizeFields(props: DraftFieldsProps): JSX.Element {
  return (
    <details className="rounded-md border border-line p-3" open={SIZE_FIELDS.some((field) => field in props.faults)}>
      <summary className="text-sm font-medium">Size and defaults</summary>
      <div className="grid gap-4 pt-3 sm:grid-cols-2">
        <ServingFields {...props} fields={SIZE_FIELDS} />
      </div>
    </details>
  );
}

function AliasHint({ alias }: { readonly alias: string }): JSX.Element {
  const { slug } = useAccount();
  const addresses = useAddresses();
  if (alias === '') return <>A name for clients that stays when the deployment is replaced. You can leave it empty.</>;
  return (
    <>
      Clients call{' '}
      <code className="font-mono break-all">
        {addresses?.gateway_url ?? ''}/{slug}/{alias}
      </code>
    </>
  );
}
