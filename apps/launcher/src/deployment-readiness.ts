import {
  type AccountId,
  AgentHeartbeat,
  type AgentLoad,
  type DeploymentId,
  type DeploymentView,
  taskOf,
  wildcardOf,
} from '@slipway/contracts';
import { allDeployments, type NatsConnection, type RpcClient } from '@slipway/platform';
import type { z } from 'zod';
import { StartError } from '../../../scripts/lib/start-error.mjs';
import type { LaunchContext } from './launch-context.js';
import { onceServed, waitUntil } from './readiness.js';

type Heartbeat = z.output<typeof AgentHeartbeat.message>;

/** Age from which an agent's last heartbeat is ignored, in milliseconds. */
const SILENT_AFTER_MS = 5_000;

/** Heartbeats of the workers since the launcher subscribed. */
export class WorkerReports {
  readonly #heartbeats = new Map<string, { at: number; heartbeat: Heartbeat }>();

  constructor(nats: NatsConnection, env: string) {
    nats.subscribe(wildcardOf(AgentHeartbeat, { env }), {
      callback: (error, message) => {
        if (error) return;
        const heartbeat = AgentHeartbeat.message.safeParse(parse(message.string()));
        if (heartbeat.success) this.#heartbeats.set(heartbeat.data.wk, { at: Date.now(), heartbeat: heartbeat.data });
      },
    });
  }

  /** Number of workers on which this revision of a deployment is ready. */
  serving(id: DeploymentId, rev: number): number {
    return this.#loads().filter((load) => load.dep === id && load.rev === rev && load.state === 'ready').length;
  }

  /** Whether a deployment makes embeddings, as its workers report. */
  embeds(id: DeploymentId): boolean {
    return this.#loads().some(({ dep, caps }) => dep === id && taskOf(caps) === 'embeddings');
  }

  /** Runner processes, without the pids in `known`. */
  running(known: ReadonlySet<number>): { name: string; pid: number }[] {
    const runners = this.#loads().flatMap(({ dep, pid }) => (pid === null || known.has(pid) ? [] : [{ dep, pid }]));
    const counts = new Map<number, number>();
    return runners.map(({ dep, pid }) => {
      const n = (counts.get(dep) ?? 0) + 1;
      counts.set(dep, n);
      return { name: `runner-${dep}-${n}`, pid };
    });
  }

  #loads(): AgentLoad[] {
    const since = Date.now() - SILENT_AFTER_MS;
    return [...this.#heartbeats.values()].filter(({ at }) => at > since).flatMap(({ heartbeat }) => heartbeat.loads);
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Time without a change of state after which a deployment counts as stuck, in milliseconds. */
const STUCK_AFTER_MS = 60_000;
/** The same beside a GPU, whose driver may compile for a minute before the first token: 36 s were measured on an H200. */
const STUCK_ON_GPU_MS = 180_000;
/** How long a failed state may date from an earlier run or from before the workers reported, in milliseconds. */
const STALE_WITHIN_MS = 10_000;

const describe = ({ state, progress, reason, detail }: DeploymentView): string =>
  [state, progress === null ? '' : `${Math.round(progress * 100)} %`, reason ?? '', detail ?? ''].filter((part) => part !== '').join(', ');

/** Detects that a deployment will not become ready. */
export class FailureDetector {
  readonly #stuckAfterMs: number;
  #since: number;
  #last: string | null = null;
  #changed = false;

  /** @param gpu the setting `GPU` of the workers */
  constructor(
    gpu: string | undefined,
    private readonly now: () => number = Date.now,
  ) {
    this.#stuckAfterMs = gpu === 'auto' ? STUCK_ON_GPU_MS : STUCK_AFTER_MS;
    this.#since = now();
  }

  /** Why it will not become ready; null while it may. */
  failureOf(view: DeploymentView): string | null {
    const text = describe(view);
    if (text !== this.#last) {
      this.#changed = this.#last !== null;
      this.#since = this.now();
      this.#last = text;
    }
    const waited = this.now() - this.#since;
    if (view.state === 'failed' && (this.#changed || waited > STALE_WITHIN_MS)) return text;
    if (view.reason === 'no_capacity' && waited > STALE_WITHIN_MS) return text;
    return waited > this.#stuckAfterMs ? `no progress for ${this.#stuckAfterMs / 1_000} s: ${text}` : null;
  }
}

/** The deployment to wait for. */
export interface Awaited {
  readonly account: AccountId;
  readonly id: DeploymentId;
  readonly reports: WorkerReports;
}

/**
 * Waits until every worker, up to the number of replicas, reports the deployment ready. The state in the service alone may be left
 * from an earlier run.
 * @param detail called with the progress
 * @returns the ready deployment
 * @throws StartError with the deployment's reason when it fails or is stuck
 */
export async function waitForDeployment(
  context: LaunchContext,
  rpc: RpcClient,
  { account, id, reports }: Awaited,
  detail: (text: string) => void,
): Promise<DeploymentView> {
  const { stage, signal } = context;
  const detector = new FailureDetector(stage.environment['GPU']);
  const failure = (why: string): Error => new StartError(`deployment-${id} does not become ready (${why}).`);
  const readyView = async (): Promise<DeploymentView | null> => {
    const { deployments } = await onceServed(context, () => allDeployments(rpc, account), { repeatable: true });
    const view = deployments.find((one) => one.id === id);
    if (!view) throw failure('it was deleted');
    detail(describe(view));
    const isServing = view.state === 'ready' || view.state === 'degraded';
    if (isServing && reports.serving(id, view.rev) >= Math.min(view.replicas, stage.options.workers)) return view;
    const why = detector.failureOf(view);
    if (why !== null) throw failure(why);
    return null;
  };
  return waitUntil(readyView, { everyMs: 50, withinMs: Infinity, timedOut: () => failure('too slow'), signal });
}
