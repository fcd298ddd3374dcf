import type { AdapterView, ConsoleRequest } from '@slipway/contracts';
import { useNavigate } from '@tanstack/react-router';
import { type JSX, useRef } from 'react';
import { useForm, type UseFormReturn, useWatch } from 'react-hook-form';
import { useChange } from '../api/use-call.js';
import { faultOfAlias, faultOfUrl } from '../deployments/deployment-draft.js';
import { slugOf } from '../deployments/inference-target.js';
import { fitText, useFit } from '../deployments/memory-fit.js';
import { pointAlias, refuseTaken } from '../deployments/new-alias.js';
import { useAccount } from '../session/use-session.js';
import { SelectField, TextArea, TextField } from '../ui/field.js';
import { fieldOf, FormDialog, without } from '../ui/form.js';
import { Notice } from '../ui/notice.js';
import type { Choice } from '../ui/select.js';
import { adapterName, checkName, needsReason } from './adapter-words.js';

interface Values {
  readonly name: string;
  readonly alias: string;
  readonly override: string;
  /** Where it runs: on the workers, which have its base, or at an HTTP engine. */
  readonly on: string;
  readonly url: string;
  readonly model: string;
  readonly credential: string;
}

const PLACES: readonly Choice[] = [
  { value: 'workers', label: 'llama.cpp on the workers', hint: 'Its base is there' },
  { value: 'http', label: 'HTTP engine', hint: 'vLLM, SGLang or llama-server that has its base' },
];

/** The engine that is named, as requests hold it; nothing for the workers. */
function engineOf({ on, url, model, credential }: Values): Pick<ConsoleRequest<'deployments/create'>, 'source' | 'credential'> {
  if (on !== 'http') return {};
  return { source: { kind: 'http', url: url.trim(), model: model.trim() }, ...(credential !== '' && { credential }) };
}

const EMPTY: Values = { name: '', alias: '', override: '', on: 'workers', url: '', model: '', credential: '' };

/** Makes a deployment that serves an adapter. One whose verdict is bad needs an owner's reason. */
export function DeployDialog({ adapter, onClose }: { readonly adapter: AdapterView; readonly onClose: () => void }): JSX.Element {
  const { slug: account, role } = useAccount();
  const navigate = useNavigate();
  const create = useChange('deployments/create', ['deployments/', 'aliases/', 'adapters/']);
  const form = useForm<Values>({ defaultValues: { ...EMPTY, name: adapterName(adapter) } });
  const isOnWorkers = useWatch({ control: form.control, name: 'on' }) === 'workers';
  const fit = useFit({ adapter: adapter.id });
  const last = useRef({ text: '', key: '' });
  const isBad = needsReason(adapter.verdict);
  const mayOverride = role === 'owner';
  const submit = async (values: Values): Promise<void> => {
    const { name, alias, override } = values;
    await refuseTaken(alias.trim());
    const reason = isBad ? { override: override.trim() } : {};
    const request = { name: name.trim(), adapter: { id: adapter.id, ...reason }, ...engineOf(values) };
    const text = JSON.stringify(request);
    // The same again, after a lost answer, makes no second deployment.
    if (last.current.text !== text) last.current = { text, key: crypto.randomUUID() };
    const { id } = await create.mutateAsync({ ...request, idempotency_key: last.current.key });
    await pointAlias(alias.trim(), id, isBad ? override.trim() : undefined);
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
      <SelectField label="Engine" choices={PLACES} {...fieldOf(form, 'on')} />
      {!isOnWorkers && <EngineFields form={form} />}
      {isOnWorkers && fit.data && <p className="text-sm text-muted">{fitText(fit.data)}</p>}
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

/** Where an HTTP engine is, and what it calls the adapter's base. */
function EngineFields({ form }: { readonly form: UseFormReturn<Values> }): JSX.Element {
  return (
    <>
      <TextField
        label="Address of the engine"
        autoComplete="off"
        spellCheck={false}
        placeholder="http://10.0.0.7:8000"
        hint="It gets the adapter from the workers, which check its answers before it is ready."
        {...fieldOf(form, 'url', { validate: without(faultOfUrl) })}
      />
      <TextField
        label="Name of the base at the engine"
        autoComplete="off"
        spellCheck={false}
        {...fieldOf(form, 'model', { validate: (text) => text.trim() !== '' || 'Enter the name.' })}
      />
      <TextField
        type="password"
        label="Engine credential (optional)"
        autoComplete="new-password"
        hint="Stored encrypted, and never shown again."
        {...fieldOf(form, 'credential')}
      />
    </>
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
