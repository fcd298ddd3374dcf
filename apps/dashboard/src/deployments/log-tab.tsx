import { type JSX, useMemo } from 'react';
import { saveText } from '../api/save.js';
import { formatExact } from '../format/time.js';
import { DEPLOYMENT_SEARCH, LOG_LEVELS } from '../searches.js';
import { Button, IconButton } from '../ui/button.js';
import { EmptyState } from '../ui/empty-state.js';
import { SelectField } from '../ui/field.js';
import { SearchField } from '../ui/search-field.js';
import { Loaded } from '../ui/loaded.js';
import { Notice } from '../ui/notice.js';
import { RangePicker } from '../ui/range-picker.js';
import { Switch } from '../ui/toggles.js';
import { type UrlState, useUrlState } from '../url-state/use-url-state.js';
import type { DeploymentDetails } from './deployment-details.js';
import { workerNames } from './engine-words.js';
import { slugOf } from './inference-target.js';
import { type LogLine, replicaOf, savedLine } from './log-lines.js';
import { LogList } from './log-list.js';
import { type Log, useLog } from './use-log.js';

type Search = UrlState<ReturnType<typeof DEPLOYMENT_SEARCH.read>>;

const LEVELS = LOG_LEVELS.map((value) => ({
  value,
  label: value === 'debug' ? 'All levels' : `${value[0]?.toUpperCase()}${value.slice(1)} and above`,
}));

/** What the engine wrote. It holds no prompts and no answers. */
export function LogTab({ details: { deployment, running } }: { readonly details: DeploymentDetails }): JSX.Element {
  const url = useUrlState(DEPLOYMENT_SEARCH);
  const [state, set] = url;
  const query = useLog(deployment.id, state);
  const replicas = useReplicas(running, query.data);
  const lines = useMemo(
    () => (query.data?.lines ?? []).filter((line) => state.host === '' || replicaOf(line) === state.host),
    [query.data, state.host],
  );
  const isFiltered = state.q !== '' || state.level !== 'debug' || state.host !== '';
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <Bar {...{ url, replicas, lines }} slug={slugOf(deployment)} />
      <Loaded query={query} what="Engine log" shape="text" rows={8}>
        {({ silent }) => (
          <>
            {silent.length > 0 && <Notice look="warn">No answer from {silent.join(', ')}: lines of these hosts are missing.</Notice>}
            {lines.length === 0 ? (
              <NoLines isFiltered={isFiltered} set={set} />
            ) : (
              <LogList {...{ lines }} names={replicas} isWrapped={state.wrap} isFollowed={state.tail && state.to === null} />
            )}
          </>
        )}
      </Loaded>
    </div>
  );
}

/** Replicas that run or wrote a line, by what lines know them by, with their names. */
function useReplicas(running: DeploymentDetails['running'], log: Log | undefined): ReadonlyMap<string, string> {
  const text = JSON.stringify(
    [...running, ...(log?.lines ?? [])].reduce<Record<string, { host: string; agent: string | undefined }>>((all, { host, agent }) => {
      all[replicaOf({ host, ...(agent !== undefined && { agent }) })] ??= { host, agent };
      return all;
    }, {}),
  );
  return useMemo(() => {
    const found = Object.entries(JSON.parse(text) as Record<string, Pick<LogLine, 'host' | 'agent'>>);
    const names = workerNames(found.map(([, replica]) => replica));
    return new Map(found.map(([key], index) => [key, names[index] ?? key]));
  }, [text]);
}

interface BarProps {
  readonly url: Search;
  readonly replicas: ReadonlyMap<string, string>;
  readonly lines: readonly LogLine[];
  readonly slug: string;
}

function Bar({ url, replicas, lines, slug }: BarProps): JSX.Element {
  const [state, set] = url;
  const hosts = [{ value: '', label: 'All replicas' }, ...[...replicas].map(([value, label]) => ({ value, label }))];
  return (
    <div className="flex flex-wrap items-center gap-2">
      <div className="min-w-48 flex-1">
        <SearchField label="Search the log" placeholder="Search text or request id" value={state.q} onSearch={(q) => set({ q })} />
      </div>
      <div className="w-40">
        <SelectField
          label="Level"
          bare
          choices={LEVELS}
          value={state.level}
          onChange={({ target }) => set({ level: LOG_LEVELS.find((one) => one === target.value) ?? 'debug' })}
        />
      </div>
      {(replicas.size > 1 || state.host !== '') && (
        <div className="w-44">
          <SelectField label="Replica" bare choices={hosts} value={state.host} onChange={({ target }) => set({ host: target.value })} />
        </div>
      )}
      <RangePicker state={url} />
      <div className="ml-auto flex items-center gap-3">
        <Switch
          label="Live tail"
          checked={state.tail && state.to === null}
          disabled={state.to !== null}
          onChange={(tail) => set({ tail })}
        />
        <IconButton
          icon="wrap"
          label="Wrap lines"
          aria-pressed={state.wrap}
          onClick={() => set({ wrap: !state.wrap })}
          className="aria-pressed:bg-sunken aria-pressed:text-ink"
        />
        <IconButton icon="download" label="Download these lines" disabled={lines.length === 0} onClick={() => save(slug, lines)} />
      </div>
    </div>
  );
}

function save(slug: string, lines: readonly LogLine[]): void {
  const time = formatExact(new Date().toISOString(), 'utc').slice(0, 19).replace(' ', 'T').replaceAll(':', '');
  saveText(`${slug}-${time}Z.log`, 'text/plain', `${lines.map(savedLine).join('\n')}\n`);
}

function NoLines({ isFiltered, set }: { readonly isFiltered: boolean; readonly set: Search[1] }): JSX.Element {
  const widen = (
    <div className="flex flex-wrap justify-center gap-2">
      {isFiltered && (
        <Button icon="close" onClick={() => set({ q: '', level: 'debug', host: '' })}>
          Clear filters
        </Button>
      )}
      <Button icon="calendar" onClick={() => set({ range: '90d', from: null, to: null })}>
        Show all lines
      </Button>
    </div>
  );
  return (
    <EmptyState title={isFiltered ? 'No matching lines' : 'No lines in this time'} icon="terminal" action={widen}>
      Workers keep the newest 2,000 lines of each deployment that they run.
    </EmptyState>
  );
}
