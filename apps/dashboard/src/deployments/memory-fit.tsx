import type { ConsoleReply, ConsoleRequest, WorkerFit } from '@slipway/contracts';
import { keepPreviousData, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { type JSX, useEffect, useState } from 'react';
import { messageOf } from '../api/console-error.js';
import { call } from '../api/use-call.js';
import { formatBytes, plural } from '../format/number.js';
import { Icon } from '../ui/icon.js';
import { Notice } from '../ui/notice.js';
import { Skeleton } from '../ui/skeleton.js';
import { type DeploymentDraft, faultsIn, faultsOf, goodNumber, namesSource, sourceOf } from './deployment-draft.js';
import { workerNames } from './engine-words.js';

export type Fit = ConsoleReply<'deployments/fit'>;

/** Questions wait until nothing was changed for so long, in milliseconds. */
const SETTLED_MS = 300;
/** Workers that are drawn; the others are counted. */
const SHOWN_MAX = 12;

/** What the placer is asked about a draft; null while its model is not chosen. An adapter brings its base. */
export function fitQuestion(draft: DeploymentDraft): ConsoleRequest<'deployments/fit'> | null {
  const isBare = namesSource(draft);
  if (isBare && Object.keys(faultsIn(faultsOf(draft), 'model')).length > 0) return null;
  const [context, slots, replicas] = [goodNumber(draft, 'context'), goodNumber(draft, 'slots'), goodNumber(draft, 'replicas')];
  return {
    ...(isBare ? { source: sourceOf(draft) } : { adapter: Number(draft.adapter) }),
    ...(context !== null && { context }),
    ...(slots !== null && { slots }),
    ...(replicas !== null && { replicas }),
  };
}

/** Where a draft, or another deployment, would find room. */
export function useFit(question: ReturnType<typeof fitQuestion>): UseQueryResult<Fit> {
  const text = JSON.stringify(question);
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), SETTLED_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return useQuery<Fit>({
    queryKey: ['deployments/fit', settled],
    queryFn: ({ signal }) => call('deployments/fit', JSON.parse(settled) as ConsoleRequest<'deployments/fit'>, signal),
    enabled: settled !== 'null',
    placeholderData: keepPreviousData,
    staleTime: 5_000,
    retry: false,
  });
}

/** In one sentence whether the replicas find room. */
export function fitText({ replicas, placeable, workers, memory_needed: needed }: Omit<Fit, 'model_bytes'>): string {
  if (needed === 0 && workers.length > 0) return workersText(placeable ?? 0, replicas);
  if (workers.length === 0) return 'No worker is connected: the deployment waits for one.';
  if (placeable === null) return 'The model’s size is not known yet.';
  if (placeable >= replicas) return replicas === 1 ? 'Fits now.' : `All ${replicas} replicas fit now.`;
  if (placeable === 0) return 'No worker has room now: the deployment will wait.';
  return `${placeable} of ${plural(replicas, 'replica')} fit now; the others wait for room.`;
}

/** Engines take no memory of the workers: a replica needs a worker alone. */
function workersText(placeable: number, replicas: number): string {
  if (placeable === 0) return 'No connected worker calls HTTP engines: the deployment waits for one.';
  if (placeable >= replicas) return `Runs on ${plural(placeable, 'worker')} at once.`;
  return `Runs on ${plural(placeable, 'worker')} now; more replicas need more workers.`;
}

/** How long it took before on the workers where it fits, in milliseconds; null = it was never loaded there. */
export function expectedLoadMs({ workers }: Pick<Fit, 'workers'>): number | null {
  const known = workers.filter(({ fits }) => fits !== false).flatMap(({ load_ms: ms }) => (ms === null ? [] : [ms]));
  return known.length === 0 ? null : Math.max(...known);
}

/** Memory of each worker with what the deployment would take of it. */
export function MemoryFit({ query }: { readonly query: UseQueryResult<Fit> }): JSX.Element {
  if (query.isError) return <Notice look={query.data ? 'warn' : 'info'}>Memory fit: {messageOf(query.error)}</Notice>;
  if (!query.data) return <Skeleton shape="text" what="Memory fit" count={3} />;
  const { workers, replicas, placeable } = query.data;
  const names = workerNames(workers);
  const isShort = placeable !== null && placeable < replicas;
  return (
    <div className={`grid grid-cols-[minmax(0,1fr)] gap-3 transition-opacity ${query.isPlaceholderData ? 'opacity-60' : ''}`}>
      <p aria-live="polite" className="flex items-center gap-2 text-sm font-medium">
        <Icon
          name={isShort || workers.length === 0 ? 'warning' : 'good'}
          className={isShort || workers.length === 0 ? 'size-4 text-warn' : 'size-4 text-good'}
        />
        {fitText(query.data)}
      </p>
      <ul aria-label="Memory by worker" className="grid gap-3">
        {workers.slice(0, SHOWN_MAX).map((worker, index) => (
          <WorkerBar key={worker.agent} worker={worker} name={names[index] ?? worker.host} />
        ))}
      </ul>
      {workers.length > SHOWN_MAX && <p className="text-sm text-muted">and {plural(workers.length - SHOWN_MAX, 'more worker')}.</p>}
    </div>
  );
}

/** Parts of a worker's memory, from 0 to 1 each: used by others, needed by this one, and what is too much. */
export function shares({ memory_total: total, memory_free: free, memory_needed: needed }: WorkerFit): {
  readonly used: number;
  readonly needed: number;
  readonly over: number;
} {
  const whole = Math.max(total ?? free, 1);
  const used = Math.max(0, whole - free) / whole;
  const wanted = (needed ?? 0) / whole;
  return { used, needed: Math.min(wanted, Math.max(0, 1 - used)), over: Math.max(0, used + wanted - 1) };
}

/** What a worker has, in words. */
function roomText({ memory_free: free, memory_total: total, memory_needed: needed }: WorkerFit): string {
  const of = total === null ? '' : ` of ${formatBytes(total)}`;
  return `${needed === null || needed === 0 ? '' : `needs ${formatBytes(needed)}, `}${formatBytes(free)} free${of}`;
}

const UNFIT: Readonly<Record<string, string>> = { false: 'Does not fit', null: 'Not known yet' };

function WorkerBar({ worker, name }: { readonly worker: WorkerFit; readonly name: string }): JSX.Element {
  const { fits, detail, cores, gpus } = worker;
  const { used, needed, over } = shares(worker);
  return (
    <li className="grid grid-cols-[minmax(0,1fr)] gap-1">
      <div className="flex flex-wrap items-baseline justify-between gap-x-3 text-sm">
        <span className="min-w-0 truncate">
          {name}
          <span className="ml-2 text-xs text-muted">
            {plural(cores, 'core')}
            {gpus > 0 && `, ${plural(gpus, 'GPU')}`}
          </span>
        </span>
        <span className="text-xs text-muted tabular-nums">{roomText(worker)}</span>
      </div>
      <div aria-hidden="true" className="flex h-2 overflow-hidden rounded-full bg-rim">
        <span className="bg-edge/70" style={{ width: `${used * 100}%` }} />
        <span className={over > 0 ? 'bg-bad' : 'bg-accent'} style={{ width: `${needed * 100}%` }} />
      </div>
      <p className={`text-xs ${fits === false ? 'text-bad' : 'text-muted'}`}>{fits === true ? 'Fits' : (detail ?? UNFIT[String(fits)])}</p>
    </li>
  );
}
