import type { AdapterView } from '@slipway/contracts';
import { Link } from '@tanstack/react-router';
import type { JSX, ReactNode } from 'react';
import { useActorNames } from '../activity/use-actor-names.js';
import { useDeployments } from '../deployments/use-deployments.js';
import { formatBytes, formatCount } from '../format/number.js';
import { useAccount } from '../session/use-session.js';
import { CopyField } from '../ui/copy-field.js';
import { KeyValues } from '../ui/key-values.js';
import { Moment } from '../ui/moment.js';
import { Notice } from '../ui/notice.js';
import { Panel } from '../ui/page.js';

const LINK = 'text-accent hover:underline wrap-anywhere';

/** What it means that the base is not there. Replicas that run go on. */
const BASE_NOTES: Readonly<Record<string, string>> = {
  changed: 'The file of the base was replaced. Replicas that run go on; new ones start only where the former file is.',
  absent: 'No training worker has the base any more. Replicas that run go on; new ones start only where its file is.',
};

/** Where an adapter came from and where it is served: data set version, job, step, deployments. */
export function Lineage({ adapter }: { readonly adapter: AdapterView }): JSX.Element {
  const nameOf = useActorNames();
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-6">
      <Panel title="Lineage">
        {BASE_NOTES[adapter.base_state ?? ''] && <Notice look="warn">{BASE_NOTES[adapter.base_state ?? '']}</Notice>}
        {adapter.source_deleted && <Notice look="info">The data set was deleted after this adapter was made.</Notice>}
        <ol aria-label="Lineage" className="grid gap-2 text-sm">
          <Stage title="Data set">
            <Source adapter={adapter} />
          </Stage>
          <Stage title="Job">
            <Job adapter={adapter} />
          </Stage>
          <Stage title="Deployments">
            <Deployments ids={adapter.deployments} />
          </Stage>
        </ol>
      </Panel>
      <Panel title="Facts">
        <div className="text-sm">
          <KeyValues
            facts={[
              ['Base', adapter.base],
              ['Rank, alpha', `${adapter.rank}, ${adapter.alpha}`],
              ['Modules', adapter.modules.join(', ')],
              ['Size', formatBytes(adapter.bytes)],
              adapter.witness_distance !== null && ['Distance from the base', String(Number(adapter.witness_distance.toPrecision(3)))],
              ['Created by', nameOf(adapter.created_by)],
              ['Created', <Moment key="created" at={adapter.created_at} exact />],
            ]}
          />
        </div>
        <CopyField label="SHA-256 of the GGUF form" value={adapter.sha256} />
        <CopyField label="SHA-256 of the base" value={adapter.base_sha256} />
      </Panel>
    </div>
  );
}

const Stage = ({ title, children }: { readonly title: string; readonly children: ReactNode }): JSX.Element => (
  <li className="grid gap-0.5 border-l-2 border-line pl-3">
    <span className="text-xs text-muted">{title}</span>
    {children}
  </li>
);

interface AdapterProps {
  readonly adapter: AdapterView;
}

function Source({ adapter: { dataset_name: name, dataset_version: version, source_deleted: isDeleted } }: AdapterProps): JSX.Element {
  const { slug: account } = useAccount();
  if (name === null) return <span>Imported</span>;
  const text = `${name}${version === null ? '' : ` v${version}`}`;
  if (isDeleted) return <span className="wrap-anywhere">{text} (deleted)</span>;
  return (
    <Link
      to="/$account/data-sets/$name"
      params={{ account, name }}
      search={version === null ? {} : { v: String(version) }}
      className={LINK}
    >
      {text}
    </Link>
  );
}

function Job({ adapter: { job, step } }: AdapterProps): JSX.Element {
  const { slug: account } = useAccount();
  if (job === null) return <span>None: it was imported</span>;
  return (
    <Link to="/$account/fine-tuning/$id" params={{ account, id: String(job) }} className={LINK}>
      Job {job}
      {step !== null && `, step ${formatCount(step)}`}
    </Link>
  );
}

function Deployments({ ids }: { readonly ids: AdapterView['deployments'] }): JSX.Element {
  const { slug: account } = useAccount();
  const names = new Map<number, string>(useDeployments().data?.map(({ id, name }) => [id, name]));
  if (ids.length === 0) return <span>Not deployed</span>;
  return (
    <ul className="grid gap-1">
      {ids.map((id) => (
        <li key={id}>
          <Link to="/$account/deployments/$slug" params={{ account, slug: `deployment-${id}` }} className={LINK}>
            {names.get(id) ?? `deployment-${id}`}
          </Link>
        </li>
      ))}
    </ul>
  );
}
