import type { AdapterView } from '@slipway/contracts';
import { useNavigate } from '@tanstack/react-router';
import { type JSX, useRef } from 'react';
import { useForm } from 'react-hook-form';
import { useChange } from '../api/use-call.js';
import { faultOfAlias } from '../deployments/deployment-draft.js';
import { slugOf } from '../deployments/inference-target.js';
import { fitText, useFit } from '../deployments/memory-fit.js';
import { pointAlias, refuseTaken } from '../deployments/new-alias.js';
import { useAccount } from '../session/use-session.js';
import { TextArea, TextField } from '../ui/field.js';
import { fieldOf, FormDialog, without } from '../ui/form.js';
import { Notice } from '../ui/notice.js';
import { adapterName, checkName } from './adapter-words.js';

interface Values {
  readonly name: string;
  readonly alias: string;
  readonly override: string;
}

/** Makes a deployment that serves an adapter. One whose verdict is bad needs an owner's reason. */
export function DeployDialog({ adapter, onClose }: { readonly adapter: AdapterView; readonly onClose: () => void }): JSX.Element {
  const { slug: account, role } = useAccount();
  const navigate = useNavigate();
  const create = useChange('deployments/create', ['deployments/', 'aliases/', 'adapters/']);
  const form = useForm<Values>({ defaultValues: { name: adapterName(adapter), alias: '', override: '' } });
  const fit = useFit({ adapter: adapter.id });
  const last = useRef({ text: '', key: '' });
  const isBad = adapter.verdict?.passed === false;
  const mayOverride = role === 'owner';
  const submit = async ({ name, alias, override }: Values): Promise<void> => {
    await refuseTaken(alias.trim());
    const reason = isBad ? { override: override.trim() } : {};
    const request = { name: name.trim(), adapter: { id: adapter.id, ...reason } };
    const text = JSON.stringify(request);
    // The same again, after a lost answer, makes no second deployment.
    if (last.current.text !== text) last.current = { text, key: crypto.randomUUID() };
    const { id } = await create.mutateAsync({ ...request, idempotency_key: last.current.key });
    await pointAlias(alias.trim(), id);
    await navigate({ to: '/$account/deployments/$slug', params: { account, slug: slugOf({ id }) } });
  };
  return (
    <FormDialog title={`Deploy ${adapterName(adapter)}`} action="Deploy" disabled={isBad && !mayOverride} {...{ form, submit, onClose }}>
      {isBad && <BadVerdict adapter={adapter} mayOverride={mayOverride} />}
      <TextField
        label="Name"
        maxLength={100}
        autoComplete="off"
        {...fieldOf(form, 'name', { validate: (text) => text.trim() !== '' || 'Enter a name.' })}
      />
      <TextField
        label="Alias (optional)"
        maxLength={63}
        autoComplete="off"
        spellCheck={false}
        hint={`Clients call it as ${account}/alias.`}
        {...fieldOf(form, 'alias', { validate: without(faultOfAlias) })}
      />
      {fit.data && <p className="text-sm text-muted">{fitText(fit.data)}</p>}
      {isBad && mayOverride && (
        <TextArea
          label="Reason for deploying it nevertheless"
          rows={2}
          maxLength={500}
          hint="Kept in the activity of the account."
          {...fieldOf(form, 'override', { validate: (text) => text.trim() !== '' || 'Give a reason.' })}
        />
      )}
    </FormDialog>
  );
}

interface BadVerdictProps {
  readonly adapter: AdapterView;
  readonly mayOverride: boolean;
}

function BadVerdict({ adapter, mayOverride }: BadVerdictProps): JSX.Element {
  const failed = (adapter.verdict?.checks ?? []).filter(({ passed }) => passed === false);
  return (
    <Notice look="warn">
      <p>This adapter did not pass every check{mayOverride ? '.' : '. Only an owner of the account may deploy it.'}</p>
      <ul className="list-disc pl-4">
        {failed.map(({ check, detail }) => (
          <li key={check}>
            {checkName(check)}: {detail}
          </li>
        ))}
      </ul>
    </Notice>
  );
}
