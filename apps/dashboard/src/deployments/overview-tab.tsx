import type { ReplicaView } from '@slipway/contracts';
import type { JSX } from 'react';
import { formatCount, formatMs, formatRate, plural } from '../format/number.js';
import { RolloutsHere } from '../rollouts/rollouts-here.js';
import { MeterBar, ProgressBar } from '../ui/meter.js';
import { Notice } from '../ui/notice.js';
import { Panel } from '../ui/page.js';
import { Dash } from '../ui/quantity.js';
import { type Stat, StatGrid } from '../ui/stat-grid.js';
import { Status, type StatusLook } from '../ui/status.js';
import type { Sums } from '../usage/usage-range.js';
import { CodePanel } from './code-panel.js';
import { ERRORS_MANY, errorShare, formatErrorShare, loadWords } from './deployment-columns.js';
import type { DeploymentDetails } from './deployment-details.js';
import { DeploymentEvents } from './deployment-events.js';
import { workerNames } from './engine-words.js';
import { readyWords } from './replicas-draft.js';
import { consequenceOf, meaningOf, REASONS } from './state-words.js';
import { useDeploymentUse } from './use-deployment-use.js';
import { useLoad } from './use-deployments.js';

export function OverviewTab({ details }: { readonly details: DeploymentDetails }): JSX.Element {
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-5">
      <Why details={details} />
      <Gauges details={details} />
      <RolloutsHere deployment={details.deployment} />
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-5 xl:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <div className="grid grid-cols-[minmax(0,1fr)] gap-5">
          <CodePanel deployment={details.deployment} />
          <Replicas details={details} />
        </div>
        <DeploymentEvents id={details.deployment.id} />
      </div>
    </div>
  );
}

/** What is wrong, once: the engine's own words where there are some, and what to do. */
function Why({ details: { deployment } }: { readonly details: DeploymentDetails }): JSX.Element | null {
  const { reason, detail, state } = deployment;
  if (reason === null && !['stopped', 'stopping'].includes(state)) return null;
  if (reason === null) return <Notice look="info">{meaningOf(deployment)}</Notice>;
  const { text, advice } = REASONS[reason];
  return (
    <Notice look={state === 'failed' ? 'bad' : 'warn'}>
      <p className="font-medium wrap-anywhere">{detail ?? text}</p>
      <p>
        {advice} {consequenceOf(deployment)}
      </p>
    </Notice>
  );
}

function Gauges({ details: { deployment } }: { readonly details: DeploymentDetails }): JSX.Element {
  const load = useLoad(deployment.id);
  const hour = useDeploymentUse()?.(deployment.id) ?? null;
  const slots: Stat = {
    label: 'In flight',
    value: load ? formatCount(load.in_flight) : <Dash />,
    ...(load && { unit: `of ${plural(load.slots, 'slot')}` }),
    hint: load ? <MeterBar label="Slots in use" used={load.in_flight} limit={load.slots} text="" words={loadWords(load)} /> : undefined,
  };
  const queued: Stat = {
    label: 'Queued',
    value: load ? formatCount(load.queued) : <Dash />,
    hint: 'Waiting for a slot',
  };
  return <StatGrid label="Now and in the last hour" stats={[slots, queued, ...figuresOf(hour)]} />;
}

/** Figures of the last hour; dashes while they are not known. */
function figuresOf(hour: Sums | null): readonly Stat[] {
  return [
    {
      label: 'Requests per minute, 1 h',
      value: hour ? formatRate(hour.requests / 60) : <Dash />,
      hint: hour ? plural(hour.requests, 'request') : undefined,
    },
    errorsOf(hour),
    latencyOf(hour),
  ];
}

function errorsOf(hour: Sums | null): Stat {
  const share = hour && errorShare(hour);
  return {
    label: 'Errors, 1 h',
    value: share === null ? <Dash /> : <span className={share >= ERRORS_MANY ? 'text-bad' : ''}>{formatErrorShare(share)}</span>,
    hint: hour ? `${formatCount(hour.errors)} of ${formatCount(hour.requests)}` : undefined,
  };
}

function latencyOf(hour: Sums | null): Stat {
  const [ttft, speed] = [hour?.latency?.ttft_ms?.p95, hour?.latency?.tokens_per_second?.p50];
  return {
    label: 'TTFT p95, 1 h',
    value: ttft === undefined ? <Dash /> : formatMs(ttft),
    hint: speed === undefined ? 'Time to first token' : `${formatRate(speed)} tokens/s p50`,
  };
}

const LOOKS: Readonly<Record<ReplicaView['state'], readonly [StatusLook, string]>> = {
  loading: ['busy', 'Loading'],
  ready: ['good', 'Ready'],
  draining: ['plain', 'Draining'],
  failed: ['bad', 'Failed'],
};

function Replicas({ details: { running, deployment } }: { readonly details: DeploymentDetails }): JSX.Element | null {
  if (running.length === 0) return null;
  const names = workerNames(running);
  return (
    <Panel title="Replicas" about={readyWords(deployment)}>
      <ul aria-label="Replicas" className="grid">
        {running.map((replica, index) => (
          <Replica
            key={`${replica.agent}:${replica.rev}`}
            replica={replica}
            name={names[index] ?? replica.host}
            isOlder={replica.rev < deployment.rev}
          />
        ))}
      </ul>
    </Panel>
  );
}

interface ReplicaProps {
  readonly replica: ReplicaView;
  readonly name: string;
  readonly isOlder: boolean;
}

function Replica({ replica, name, isOlder }: ReplicaProps): JSX.Element {
  const { state, rev, context, progress, reason, detail } = replica;
  const [look, text] = LOOKS[state];
  const why = detail ?? (reason === null ? null : REASONS[reason].text);
  return (
    <li className="grid grid-cols-[minmax(0,1fr)] gap-1 border-line py-2 not-last:border-b">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1 text-sm">
        <span className="min-w-32 flex-1 truncate font-medium" title={name}>
          {name}
        </span>
        <span className="text-muted tabular-nums">
          Revision {rev}
          {isOlder && ' (older)'}
        </span>
        {context !== null && <span className="text-muted tabular-nums">{formatCount(context)} tokens</span>}
        <Status look={look} text={text} />
      </div>
      {state === 'loading' && <ProgressBar label={`Loading on ${name}`} share={progress} />}
      {why !== null && <p className="text-sm wrap-anywhere text-muted">{why}</p>}
    </li>
  );
}
