import type { VersionView } from '@slipway/contracts';
import { Link } from '@tanstack/react-router';
import type { JSX } from 'react';
import { useActorNames } from '../activity/use-actor-names.js';
import { messageOf } from '../api/console-error.js';
import { useCall } from '../api/use-call.js';
import { formatBytes, formatCount, plural } from '../format/number.js';
import { DATA_SET_SEARCH } from '../searches.js';
import { useAccount, useMayChange } from '../session/use-session.js';
import { SelectField } from '../ui/field.js';
import { KeyValues } from '../ui/key-values.js';
import { Moment } from '../ui/moment.js';
import { Notice } from '../ui/notice.js';
import type { Choice } from '../ui/select.js';
import { Skeleton } from '../ui/skeleton.js';
import { useUrlState } from '../url-state/use-url-state.js';
import type { ShownVersion } from './shown-version.js';
import { ORIGINS, stateText, VERSION_STATES } from './version-words.js';

const choiceOf = (version: VersionView): Choice => ({
  value: String(version.number),
  label: `v${version.number}`,
  hint: `${stateText(version)}, ${plural(version.examples, 'example')}`,
  look: VERSION_STATES[version.state].look,
});

/** Chooses the version, says where it came from, and compares it with another one. */
export function VersionBar({ details, version }: ShownVersion): JSX.Element {
  const [{ diff }, set] = useUrlState(DATA_SET_SEARCH);
  const { versions, dataset } = details;
  const nameOf = useActorNames();
  const others = versions.filter(({ number, state }) => number !== version.number && state === 'ready');
  const canCompare = version.state === 'ready' && others.length > 0;
  return (
    <section aria-label="Version" className="grid grid-cols-[minmax(0,1fr)] gap-3 rounded-lg border border-line bg-surface p-4">
      <div className="flex flex-wrap items-end gap-3">
        <div className="w-52">
          <SelectField
            label="Version"
            choices={versions.map(choiceOf)}
            value={String(version.number)}
            onChange={({ target }) =>
              set({ v: target.value === String(dataset.head?.number) ? 0 : Number(target.value), diff: 0, from: 1 })
            }
          />
        </div>
        {canCompare && (
          <div className="w-52">
            <SelectField
              label="Compare with"
              choices={[{ value: '0', label: 'No other version' }, ...others.map(choiceOf)]}
              value={String(others.some(({ number }) => number === diff) ? diff : 0)}
              onChange={({ target }) => set({ diff: Number(target.value) })}
            />
          </div>
        )}
        <p className="min-w-0 flex-1 basis-64 py-1.5 text-sm text-muted">
          {ORIGINS[version.origin]}
          {version.parent !== null && ` from v${version.parent}`}
          {version.created_by.actor !== 'unknown' && ` by ${nameOf(version.created_by)}`}, <Moment at={version.created_at} />,{' '}
          {formatBytes(version.bytes)}
        </p>
      </div>
      {canCompare && diff > 0 && diff !== version.number && <Difference dataset={dataset.id} from={diff} to={version.number} />}
    </section>
  );
}

interface DifferenceProps {
  readonly dataset: number;
  readonly from: number;
  readonly to: number;
}

/** What changed between two versions, with links to the first examples of each kind. */
function Difference({ dataset, from, to }: DifferenceProps): JSX.Element {
  const { data, error } = useCall('versions/compare', { dataset, from, to }, { staleMs: Number.POSITIVE_INFINITY });
  if (error) return <Notice look="bad">{messageOf(error)}</Notice>;
  if (!data) return <Skeleton shape="text" what="Differences" count={3} />;
  return (
    <KeyValues
      facts={[
        ['Added', <Numbers key="a" count={data.added} at={data.added_at} version={to} />],
        ['Removed', <Numbers key="r" count={data.removed} at={data.removed_at} version={from} />],
        ['Another answer', <Numbers key="c" count={data.changed} at={data.changed_at} version={to} />],
        ['Unchanged', formatCount(data.same)],
      ]}
    />
  );
}

/** Examples that are named one by one. */
const NAMED_MAX = 12;

function Numbers({
  count,
  at,
  version,
}: {
  readonly count: number;
  readonly at: readonly number[];
  readonly version: number;
}): JSX.Element {
  const { slug: account } = useAccount();
  const mayRead = useMayChange();
  const shown = mayRead ? at.slice(0, NAMED_MAX) : [];
  return (
    <span className="flex flex-wrap items-center gap-x-2">
      {formatCount(count)}
      {shown.map((n) => (
        <Link
          key={n}
          to="/$account/data-sets/$name"
          params={(now) => ({ account, name: now.name ?? '' })}
          search={(now: object) =>
            ({ ...now, v: String(version), tab: 'examples', from: String(n), q: undefined, rule: undefined, min: undefined }) as never
          }
          className="inline-grid min-h-6 min-w-6 place-content-center text-sm text-accent hover:underline"
        >
          #{n}
        </Link>
      ))}
      {at.length > shown.length && shown.length > 0 && <span className="text-sm text-muted">…</span>}
    </span>
  );
}
