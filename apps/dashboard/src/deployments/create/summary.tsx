import { engineFacts, modelNameOf } from '@slipway/contracts/engines';
import type { JSX, ReactNode } from 'react';
import { adapterName } from '../../adapters/adapter-words.js';
import { useAddresses } from '../../api/use-call.js';
import { formatBytes, formatCount, formatMs, plural } from '../../format/number.js';
import { useAccount } from '../../session/use-session.js';
import { useAdapters } from '../../tuning/use-jobs.js';
import { KeyValues } from '../../ui/key-values.js';
import { Dash } from '../../ui/quantity.js';
import { chosenEngine, type DeploymentDraft, goodNumber, replicasIn, sourceOf } from '../deployment-draft.js';
import { expectedLoadMs, type Fit, fitText } from '../memory-fit.js';
import { replicasWords } from '../replicas-draft.js';
import { useOptions } from '../use-options.js';
import { SOURCES } from './source-step.js';

export interface SummaryProps {
  readonly draft: DeploymentDraft;
  readonly fit: Fit | undefined;
}

type Fact = readonly [string, ReactNode] | null;

/** What would be made, as far as it is chosen. */
export function Summary({ draft, fit }: SummaryProps): JSX.Element {
  const options = useOptions();
  const model = modelNameOf(sourceOf(draft));
  const memory: readonly Fact[] =
    draft.kind === 'http'
      ? []
      : [
          ['Memory', memoryText(fit)],
          ['Load time', loadText(fit)],
        ];
  const facts: readonly Fact[] = [
    ['Source', SOURCES[draft.kind].title],
    draft.adapter === '' ? ['Model', model === '' ? <Dash /> : model] : ['Adapter', <AdapterName key="adapter" id={draft.adapter} />],
    ['Engine', engineTitle(draft)],
    ...sizeFacts(draft, options),
    ...memory,
    draft.storeResponses ? ['Stored responses', 'For an hour'] : null,
    ['Base URL', <BaseUrl key="url" alias={draft.alias.trim()} />],
  ];
  return (
    <section aria-label="Summary" className="grid grid-cols-[minmax(0,1fr)] gap-4 rounded-lg border border-line bg-surface p-4">
      <h2 className="font-semibold wrap-anywhere">{draft.name.trim() || 'New deployment'}</h2>
      <div className="text-sm">
        <KeyValues facts={facts} />
      </div>
      {fit && model !== '' && <p className="text-sm">{fitText(fit)}</p>}
      {options && <Quotas options={options} />}
    </section>
  );
}

function AdapterName({ id }: { readonly id: string }): JSX.Element {
  const found = useAdapters().data?.find((one) => String(one.id) === id);
  return <>{found ? adapterName(found) : `Adapter ${id}`}</>;
}

type Options = NonNullable<ReturnType<typeof useOptions>>;

/** Sizes that are not chosen are the operator's defaults. */
function sizeFacts(draft: DeploymentDraft, options: Options | null): readonly Fact[] {
  const slots = goodNumber(draft, 'slots') ?? options?.defaults.slots[draft.kind];
  const replicas = replicasWords(replicasIn(draft) ?? options?.defaults.replicas[draft.kind] ?? null);
  const context = goodNumber(draft, 'context');
  return [
    ['Context', context === null ? 'Default' : `${formatCount(context)} tokens`],
    ['Slots', slots === undefined ? 'Default' : `${formatCount(slots)} per replica`],
    ['Replicas', replicas ?? 'Default'],
  ];
}

const Quotas = ({ options: { used, quotas } }: { readonly options: Options }): JSX.Element => (
  <p className="text-xs text-muted">
    {formatCount(used.deployments)} of {plural(quotas.deployments, 'deployment')} and {formatCount(used.replicas)} of{' '}
    {plural(quotas.replicas, 'replica')} of this account are used.
  </p>
);

/** Without the servers that an HTTP engine may be. */
const engineTitle = (draft: DeploymentDraft): string =>
  (engineFacts(chosenEngine(draft))?.title ?? chosenEngine(draft)).replace(/ \(.*\)$/, '');

function memoryText(fit: Fit | undefined): ReactNode {
  if (!fit || fit.memory_needed === null) return <Dash />;
  return `${formatBytes(fit.memory_needed)} per replica`;
}

function loadText(fit: Fit | undefined): ReactNode {
  if (!fit) return <Dash />;
  const ms = expectedLoadMs(fit);
  return ms === null ? 'Not loaded before' : `About ${formatMs(ms)}`;
}

function BaseUrl({ alias }: { readonly alias: string }): JSX.Element {
  const { slug: account } = useAccount();
  const gateway = useAddresses()?.gateway_url ?? '';
  return <code className="text-code">{`${gateway}/${alias === '' ? 'deployment-N' : `${account}/${alias}`}/v1`}</code>;
}
