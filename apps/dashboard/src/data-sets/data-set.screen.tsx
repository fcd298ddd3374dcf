import { useParams } from '@tanstack/react-router';
import { type JSX, lazy, type ReactNode, Suspense } from 'react';
import { codeOf } from '../api/console-error.js';
import { useCall } from '../api/use-call.js';
import { DATA_SET_SEARCH, DATA_SET_TABS, type DataSetTab } from '../searches.js';
import { useAccount } from '../session/use-session.js';
import { Missing } from '../shell/faults.js';
import { Chip } from '../ui/chip.js';
import { Loaded } from '../ui/loaded.js';
import { Page } from '../ui/page.js';
import { Skeleton, type SkeletonShape } from '../ui/skeleton.js';
import { Status } from '../ui/status.js';
import { Tabs } from '../ui/tabs.js';
import { useUrlState } from '../url-state/use-url-state.js';
import { DatasetActions } from './dataset-actions.js';
import type { DatasetDetails, ShownVersion } from './shown-version.js';
import { UploadPanel } from './upload/upload-panel.js';
import { lookAgainAfter } from './use-datasets.js';
import { VersionBar } from './version-bar.js';
import { VersionNotice } from './version-notice.js';
import { datasetState, isMoving, KINDS } from './version-words.js';

const ExamplesTab = lazy(async () => ({ default: (await import('./examples-tab.js')).ExamplesTab }));
const ProblemsTab = lazy(async () => ({ default: (await import('./problems-tab.js')).ProblemsTab }));
const StatisticsTab = lazy(async () => ({ default: (await import('./statistics-tab.js')).StatisticsTab }));
const UsedByTab = lazy(async () => ({ default: (await import('./used-by-tab.js')).UsedByTab }));

const TITLES: Readonly<Record<DataSetTab, string>> = {
  examples: 'Examples',
  problems: 'Problems',
  statistics: 'Statistics',
  uses: 'Used by',
};

const later = (what: string, shape: SkeletonShape, tab: ReactNode): JSX.Element => (
  <Suspense fallback={<Skeleton shape={shape} what={what} count={4} />}>{tab}</Suspense>
);

const CONTENTS: Readonly<Record<DataSetTab, (shown: ShownVersion) => JSX.Element>> = {
  examples: (shown) => later('Examples', 'text', <ExamplesTab {...shown} />),
  problems: (shown) => later('Problems', 'table', <ProblemsTab {...shown} />),
  statistics: (shown) => later('Statistics', 'figures', <StatisticsTab {...shown} />),
  uses: (shown) => later('Used by', 'table', <UsedByTab {...shown} />),
};

/** One data set: its versions, and what is in the one that is chosen. */
export function DataSetScreen(): JSX.Element {
  const { name } = useParams({ from: '/inside/$account/data-sets/$name' });
  return <Found key={name} name={name} />;
}

function Found({ name }: { readonly name: string }): JSX.Element {
  const found = useCall('datasets/find', { dataset: name }, { every: (data) => lookAgainAfter([data?.dataset]) });
  const [{ upload }, set] = useUrlState(DATA_SET_SEARCH);
  if (['dataset_not_found', 'invalid_request'].includes(codeOf(found.error))) return <Missing />;
  const dataset = found.data?.dataset;
  return (
    <Page
      title={name}
      beside={
        dataset && (
          <span className="flex items-center gap-2" aria-live="polite">
            <Status {...datasetState(dataset)} />
            <Chip text={KINDS[dataset.kind]} />
          </span>
        )
      }
      actions={found.data && <DatasetActions details={found.data} />}
    >
      {dataset && (
        <UploadPanel
          dataset={dataset.id}
          named={upload}
          onName={(id) => set({ upload: id })}
          onEnd={() => (set({ v: 0 }), void found.refetch())}
        />
      )}
      <Loaded query={found} what="Data set" shape="text" rows={6}>
        {(details) => <Chosen details={details} />}
      </Loaded>
    </Page>
  );
}

/** The version that the address names, or the newest one. */
function Chosen({ details }: { readonly details: DatasetDetails }): JSX.Element | null {
  const [{ v }] = useUrlState(DATA_SET_SEARCH);
  const { head, id } = details.dataset;
  const number = v === 0 ? (head?.number ?? 0) : v;
  const isHead = number === head?.number;
  const found = useCall(
    'versions/find',
    { dataset: id, version: number },
    // The list of versions has the statistics of the newest one alone.
    { enabled: number > 0 && !isHead, every: (data) => (data && isMoving(data.version) ? 1_000 : false) },
  );
  if (head === null) return null;
  if (isHead) return <Version shown={{ details, version: head }} />;
  if (codeOf(found.error) === 'dataset_not_found' || codeOf(found.error) === 'invalid_request') return <Missing />;
  return (
    <Loaded query={found} what="Version" shape="text" rows={6}>
      {({ version }) => <Version shown={{ details, version }} />}
    </Loaded>
  );
}

function Version({ shown }: { readonly shown: ShownVersion }): JSX.Element {
  const { slug: account } = useAccount();
  const [{ tab, v }, set] = useUrlState(DATA_SET_SEARCH);
  const { details, version } = shown;
  const problems = version.issues.reduce((sum, { count }) => sum + count, 0);
  const uses = details.used_by.filter((use) => use.version === version.number).length;
  const counts: Readonly<Partial<Record<DataSetTab, number>>> = { examples: version.examples, problems, uses };
  // What cannot be read yet has problems at most.
  const first = version.state === 'ready' ? 'examples' : 'problems';
  const open = tab === 'auto' ? first : tab;
  const addressOf = (value: DataSetTab): string => `/${account}/data-sets/${details.dataset.name}?${v === 0 ? '' : `v=${v}&`}tab=${value}`;
  return (
    <>
      <VersionBar {...shown} />
      <VersionNotice {...shown} />
      <Tabs
        label="Parts of the data set"
        value={open}
        onChange={(value) => set({ tab: value }, { push: true })}
        items={DATA_SET_TABS.map((value) => ({
          value,
          label: TITLES[value],
          href: addressOf(value),
          ...(counts[value] !== undefined && { count: counts[value] }),
          content: value === open ? CONTENTS[value](shown) : null,
        }))}
      />
    </>
  );
}
