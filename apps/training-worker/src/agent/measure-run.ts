import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type MeasureView, ReportMeasure, type TrainerBase, type TrainingItem } from '@slipway/contracts';
import type { Incarnation } from '@slipway/contracts';
import type { Logger, LogThreshold, RpcClient } from '@slipway/platform';
import type { Measure } from '../job/job-messages.js';
import type { BlobFiles } from './blob-files.js';
import { sideReported } from './side-report.js';
import { TaskProcess } from './task-process.js';

export type MeasureItem = Extract<TrainingItem, { kind: 'measure' }>;

export interface MeasureRunOptions {
  readonly item: MeasureItem;
  readonly tw: Incarnation;
  readonly base: TrainerBase;
  readonly folder: string;
  readonly blobs: BlobFiles;
  readonly rpc: RpcClient;
  readonly threshold: LogThreshold;
  readonly log: Logger;
}

const BUCKETS = 32;

/** Counts the tokens of a data set for one base, and reports them. */
export class MeasureRun {
  /** Resolves when the report is answered, or the run was ended. Never rejects. */
  readonly ended: Promise<void>;
  readonly #abort = new AbortController();
  #process: TaskProcess | undefined;

  constructor(private readonly options: MeasureRunOptions) {
    this.ended = this.#run().catch((error: unknown) => options.log.error({ dataset: options.item.dataset, err: error }, 'measure.failed'));
  }

  /** Ends it without a report. */
  end(): void {
    this.#abort.abort(new Error('The measurement is not wanted any more.'));
    this.#process?.kill();
  }

  async #run(): Promise<void> {
    const { item, folder, log } = this.options;
    try {
      const measure = await this.#measure().catch((error: unknown) => {
        if (!this.#abort.signal.aborted) log.warn({ dataset: item.dataset, version: item.version, err: error }, 'measure.failed');
        return null;
      });
      await this.#report(measure);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  /** Null when the process that counts ended without a result. */
  async #measure(): Promise<Measure | null> {
    const { item, base, folder, blobs, threshold } = this.options;
    const { account, version, dataset: id } = item;
    const dataset = join(folder, 'data.jsonl');
    await blobs.fetch({ of: 'version', account, dataset: id, version }, dataset, { signal: this.#abort.signal });
    let measure: Measure | null = null;
    this.#process = new TaskProcess({ k: 'measure', base: base.path, dataset, sample: item.sample }, threshold, (message) => {
      if (message.k === 'measured') ({ measure } = message);
    });
    await this.#process.ended;
    return measure;
  }

  async #report(measure: Measure | null): Promise<void> {
    const { item, tw, base, rpc, log } = this.options;
    const { account, dataset, version } = item;
    const hashes = { base_sha256: base.sha256, template_sha256: base.template_sha256 };
    const view = viewOf(measure ?? { examples: 0, counted: 0, tokens: 0, learnedTokens: 0, lengths: [], overContext: 0 }, base);
    const request = { tw, account, dataset, version, ...hashes, measure: view, ...(!measure && { failed: 'unreadable' as const }) };
    const send = (): Promise<unknown> => rpc.call(ReportMeasure, request);
    await sideReported({ send, gone: 'dataset_not_found', signal: this.#abort.signal, log, facts: { dataset, version } });
  }
}

/** The counts of a whole data set: those of its first examples stand for the others. */
export function viewOf(measure: Measure, base: Pick<TrainerBase, 'base' | 'context'>): MeasureView {
  const { examples, counted, lengths } = measure;
  const sorted = lengths.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
  const exact = counted === examples;
  const scale = counted === 0 ? 1 : examples / counted;
  const whole = (count: number): number => Math.round(count * scale);
  const mean = sorted.length === 0 ? 0 : measure.tokens / sorted.length;
  const variance = sorted.reduce((sum, length) => sum + (length - mean) ** 2, 0) / Math.max(1, sorted.length - 1);
  // Of the sum, at 95 %.
  const error = exact ? 0 : 1.96 * Math.sqrt(variance * sorted.length) * scale;
  const tokens = whole(measure.tokens);
  return {
    ...{ base: base.base, tokens, learned_tokens: whole(measure.learnedTokens) },
    ...{ p50: at(0.5), p99: at(0.99), longest: sorted.at(-1) ?? 0, over_context: whole(measure.overContext), context: base.context },
    ...{ exact, low: Math.max(0, Math.floor(tokens - error)), high: Math.ceil(tokens + error) },
    histogram: bucketsOf(sorted).map(({ upto, examples: some }) => ({ upto, examples: whole(some) })),
  };
}

function bucketsOf(sorted: readonly number[]): MeasureView['histogram'] {
  const longest = sorted.at(-1) ?? 0;
  const step = Math.max(1, Math.ceil(longest / BUCKETS));
  const buckets = Array.from({ length: Math.ceil(longest / step) }, (_, i) => ({ upto: (i + 1) * step, examples: 0 }));
  for (const length of sorted) {
    const bucket = buckets[Math.ceil(length / step) - 1];
    if (bucket) bucket.examples += 1;
  }
  return buckets;
}
