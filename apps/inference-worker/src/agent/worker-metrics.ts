import { Injectable } from '@nestjs/common';
import { Counter, Gauge, Registry } from '@slipway/platform/metrics';
import type { RunnerFigures } from '../runner/runner-messages.js';

/** Sums over all runners; labels are closed sets. */
@Injectable()
export class WorkerMetrics {
  readonly #streams: Counter<'outcome'>;
  readonly #tokens: Counter<'kind'>;
  readonly #rejected: Counter;
  readonly #crashes: Counter;
  readonly #placements: Gauge<'state'>;
  readonly #requests: Gauge<'place'>;
  readonly #memory: Gauge;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#streams = new Counter({ name: 'slipway_worker_streams_total', help: 'Streams that ended.', labelNames: ['outcome'], registers });
    this.#tokens = new Counter({ name: 'slipway_worker_tokens_total', help: 'Tokens of ended streams.', labelNames: ['kind'], registers });
    this.#rejected = new Counter({ name: 'slipway_worker_rejections_total', help: 'Starts that were not admitted.', registers });
    this.#crashes = new Counter({
      name: 'slipway_worker_runner_crashes_total',
      help: 'Runners that ended without a drain or stop.',
      registers,
    });
    this.#placements = new Gauge({ name: 'slipway_worker_deployments', help: 'Placed deployments.', labelNames: ['state'], registers });
    this.#requests = new Gauge({ name: 'slipway_worker_requests', help: 'Requests in the engines now.', labelNames: ['place'], registers });
    this.#memory = new Gauge({ name: 'slipway_worker_memory_free_bytes', help: 'What a further model may take.', registers });
  }

  /** Adds what a runner counted since its last figures. */
  add(now: RunnerFigures, before: RunnerFigures | null): void {
    const grown = (name: keyof RunnerFigures): number => Math.max(0, now[name] - (before?.[name] ?? 0));
    for (const outcome of ['done', 'cancelled', 'failed'] as const) this.#streams.inc({ outcome }, grown(outcome));
    this.#tokens.inc({ kind: 'prompt' }, grown('promptTokens'));
    this.#tokens.inc({ kind: 'cached' }, grown('cachedTokens'));
    this.#tokens.inc({ kind: 'completion' }, grown('completionTokens'));
    this.#rejected.inc(grown('rejected'));
  }

  crashed(): void {
    this.#crashes.inc();
  }

  /** What is, at the time of a heartbeat. */
  observe(now: { readonly states: readonly string[]; readonly figures: readonly RunnerFigures[]; readonly memFree: number }): void {
    for (const state of ['loading', 'ready', 'draining', 'failed']) {
      this.#placements.set({ state }, now.states.filter((candidate) => candidate === state).length);
    }
    this.#requests.set(
      { place: 'running' },
      now.figures.reduce((sum, { running }) => sum + running, 0),
    );
    this.#requests.set(
      { place: 'queued' },
      now.figures.reduce((sum, { queued }) => sum + queued, 0),
    );
    this.#memory.set(now.memFree);
  }
}
