import { AgentHeartbeat, wildcardOf } from '@slipway/contracts';
import type { NatsConnection } from '@slipway/platform';
import type { z } from 'zod';

type Beat = z.output<typeof AgentHeartbeat.message>;

/** Age at which an agent's last report no longer counts, in milliseconds. */
const SILENT_AFTER_MS = 5_000;

/** What workers report of the processes that they started themselves. */
export class RunnerProcesses {
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

  /** Runner processes by deployment, without those in `known`. */
  running(known: ReadonlySet<number>): { name: string; pid: number }[] {
    const since = Date.now() - SILENT_AFTER_MS;
    const loads = [...this.#beats.values()].filter(({ at }) => at > since).flatMap(({ beat }) => beat.loads);
    const runners = loads.flatMap(({ dep, pid }) => (pid === null || known.has(pid) ? [] : [{ dep, pid }]));
    const counts = new Map<number, number>();
    return runners.map(({ dep, pid }) => {
      const n = (counts.get(dep) ?? 0) + 1;
      counts.set(dep, n);
      return { name: `runner-${dep}-${n}`, pid };
    });
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
