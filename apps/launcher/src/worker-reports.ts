import { AgentHeartbeat, type AgentLoad, type DeploymentId, wildcardOf } from '@slipway/contracts';
import type { NatsConnection } from '@slipway/platform';
import type { z } from 'zod';

type Beat = z.output<typeof AgentHeartbeat.message>;

/** Age at which an agent's last report no longer counts, in milliseconds. */
const SILENT_AFTER_MS = 5_000;

/** What workers report of themselves since the launcher listens. */
export class WorkerReports {
  readonly #beats = new Map<string, { at: number; beat: Beat }>();

  constructor(nats: NatsConnection, env: string) {
    nats.subscribe(wildcardOf(AgentHeartbeat, { env }), {
      callback: (error, message) => {
        if (error) return;
        const beat = AgentHeartbeat.message.safeParse(parse(message.string()));
        if (beat.success) this.#beats.set(beat.data.wk, { at: Date.now(), beat: beat.data });
      },
    });
  }

  /** How many workers serve this revision of a deployment now. */
  serving(id: DeploymentId, rev: number): number {
    return this.#loads().filter((load) => load.dep === id && load.rev === rev && load.state === 'ready').length;
  }

  /** Runner processes by deployment, without those in `known`. */
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
    return [...this.#beats.values()].filter(({ at }) => at > since).flatMap(({ beat }) => beat.loads);
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
