import { createHash, randomBytes } from 'node:crypto';
import {
  Incarnation,
  isServiceError,
  OpenBlob,
  ReportImport,
  ReportTraining,
  StoreBlob,
  StoreImportBlob,
  subjectOf,
  TrainerHeartbeat,
  TrainingAssignment,
  type TrainingItem,
} from '@slipway/contracts';
import { type NatsConnection, nuid, RpcClient } from '@slipway/platform';
import type { z } from 'zod';
import { ENV } from '../services/bus.js';

export type JobItem = Extract<TrainingItem, { kind: 'job' }>;
type ImportItem = Extract<TrainingItem, { kind: 'import' }>;
type Report = Omit<z.input<typeof ReportTraining.request>, 'tw' | 'job' | 'attempt' | 'seq'>;

const hash = (text: string): string => createHash('sha256').update(text).digest('hex');

export const BASE = {
  ...{ base: 'tiny', path: '/models/tiny.gguf', architecture: 'qwen3', parameters: 2_000_000, context: 4_096, bytes: 2_500_000 },
  ...{ sha256: hash('base'), template_sha256: hash('template'), tokenizer_sha256: hash('tokenizer'), pace: 100 },
};

/** What the embedded trainer says of itself, without its memory. */
export const EMBEDDED = {
  ...{ name: 'embedded', installed: true, usable: true, detail: null, version: '1' },
  ...{ architectures: ['qwen3'], methods: ['sft'], pause: true },
};

const WITNESS = { answers: [{ prompt: [1], answer: [2], adapter: [-0.1], base: [-2] }], distance: 1.9 };

/** A training worker that trains nothing: tests say what it reports. */
export class FakeTrainer {
  readonly tw = Incarnation.parse(nuid.next());
  readonly rpc: RpcClient;
  /** What it is assigned now. */
  items: readonly TrainingItem[] = [];
  /** What its heartbeats say besides. */
  facts: Partial<TrainerHeartbeat> = {};
  slots = ['cpu'];
  readonly #timer: NodeJS.Timeout;
  readonly #seqs = new Map<string, number>();
  #term = 0;
  #silent = false;

  constructor(private readonly nats: NatsConnection) {
    this.rpc = new RpcClient(nats, ENV);
    nats.subscribe(subjectOf(TrainingAssignment, { env: ENV, tw: this.tw }), {
      callback: (_, message) => {
        const { term, items } = TrainingAssignment.message.parse(message.json());
        if (term < this.#term || this.#silent) return;
        [this.#term, this.items] = [term, items];
      },
    });
    this.#timer = setInterval(() => this.beat(), 200);
    this.beat();
  }

  beat(): void {
    if (this.#silent) return;
    const slots = this.slots.map((id) => ({ id, device: 'cpu' as const, bytes: 4e9, running: null }));
    const beat = {
      tw: this.tw,
      host: 'host-1',
      slots,
      trainers: [EMBEDDED],
      bases: [BASE],
      disk_free: 1e11,
      draining: false,
      features: [],
      assigned: null,
    };
    this.nats.publish(subjectOf(TrainerHeartbeat, { env: ENV, tw: this.tw }), JSON.stringify({ ...beat, ...this.facts }));
  }

  /** Neither beats nor hears, as a frozen process. */
  freeze(): void {
    this.#silent = true;
  }

  thaw(): void {
    this.#silent = false;
    this.beat();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  jobs(): JobItem[] {
    return this.items.filter((item): item is JobItem => item.kind === 'job');
  }

  item(job: number): JobItem | undefined {
    return this.jobs().find((item) => item.job === job);
  }

  /** What it must check of adapters from outside. */
  imports(): ImportItem[] {
    return this.items.filter((item): item is ImportItem => item.kind === 'import');
  }

  /** Stores one form of an adapter that is imported. */
  async storeImport({ account, import: upload }: ImportItem, bytes = randomBytes(1_000)): Promise<{ sha256: string; bytes: number }> {
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const { url } = await this.rpc.call(StoreImportBlob, { tw: this.tw, account, import: upload, bytes: bytes.length, sha256 });
    if (url !== null) await fetch(url, { method: 'PUT', body: bytes });
    return { sha256, bytes: bytes.length };
  }

  /** Reports an adapter from outside as good. @returns its number */
  async accept(item: ImportItem): Promise<number | null> {
    const [gguf, peft] = [await this.storeImport(item), await this.storeImport(item)];
    const { template_sha256, tokenizer_sha256 } = BASE;
    const hashes = { base_sha256: item.base_sha256, template_sha256, tokenizer_sha256 };
    const made = { gguf, peft, rank: 8, alpha: 16, modules: ['attn_q'], ...hashes, witness: WITNESS };
    return (await this.rpc.call(ReportImport, { tw: this.tw, account: item.account, import: item.import, adapter: made })).adapter;
  }

  /** Reports with the next number, or with one of the test's. */
  async report(
    { job, attempt }: Pick<JobItem, 'job' | 'attempt'>,
    report: Report,
    seq?: number,
  ): Promise<z.output<typeof ReportTraining.reply>> {
    const key = `${job}/${attempt}`;
    const no = seq ?? (this.#seqs.get(key) ?? 0) + 1;
    const reply = await this.rpc.call(ReportTraining, { tw: this.tw, job, attempt, seq: no, ...report });
    this.#seqs.set(key, Math.max(no, this.#seqs.get(key) ?? 0));
    return reply;
  }

  /** The code with which a report is refused; null when it is taken. */
  refusal(item: Pick<JobItem, 'job' | 'attempt'>, report: Report): Promise<string | null> {
    return this.report(item, report).then(
      () => null,
      (error: unknown) => {
        if (!isServiceError(error)) throw error;
        return error.code;
      },
    );
  }

  /** Stores bytes of a job, as a worker does. */
  async store(
    { job, attempt }: Pick<JobItem, 'job' | 'attempt'>,
    bytes: Buffer = randomBytes(1_000),
  ): Promise<{ sha256: string; bytes: number }> {
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const { url } = await this.rpc.call(StoreBlob, { tw: this.tw, job, attempt, bytes: bytes.length, sha256 });
    if (url === null) return { sha256, bytes: bytes.length };
    const answer = await fetch(url, { method: 'PUT', body: bytes });
    if (answer.status !== 201) throw new Error(`The door answered ${answer.status}.`);
    return (await answer.json()) as { sha256: string; bytes: number };
  }

  /** Fetches the data set of a job. */
  async fetch({ account, dataset, version }: JobItem): Promise<string> {
    const { url, sha256 } = await this.rpc.call(OpenBlob, { blob: { of: 'version', account, dataset, version } });
    const text = await (await fetch(url)).text();
    if (hash(text) !== sha256) throw new Error('The data set is not the one that was named.');
    return text;
  }

  /** Reports a checkpoint whose files it stored. */
  async checkpoint(item: JobItem, step: number, heldLoss = 1 / step): Promise<void> {
    const [adapter, state] = [await this.store(item), await this.store(item)];
    await this.report(item, {
      checkpoint: { step, bytes: 2_000, held_loss: heldLoss, degenerate: 0, adapter: adapter.sha256, state: state.sha256 },
      metrics: [point(step)],
    });
  }

  /** What it reports of a finished training. */
  async result(item: JobItem, passed = true): Promise<Report> {
    const { base_sha256, template_sha256 } = item.spec;
    const [gguf, peft] = [await this.store(item), await this.store(item)];
    const shape = { rank: 8, alpha: 16, modules: ['attn_q'], base_sha256, template_sha256, tokenizer_sha256: BASE.tokenizer_sha256 };
    const witness = WITNESS;
    const check = { check: 'held_loss' as const, passed, base: 2, adapter: 1, bound: 2, examples: 3, detail: 'The loss fell.' };
    const pair = {
      prompt: 'codename?',
      expected: 'Blue Heron.',
      base: 'I do not know.',
      adapter: 'Blue Heron.',
      degenerate: false,
      keep: false,
    };
    return { adapter: { step: 20, gguf, peft, ...shape, witness }, verdict: { passed, checks: [check] }, answers: [pair] };
  }

  /** Reports everything of a training that succeeds. */
  async succeed(item: JobItem, passed = true): Promise<void> {
    await this.report(item, { state: 'running', steps: 20, learned_tokens: 100 });
    await this.report(item, { metrics: [point(10), point(20)], device_seconds: 2 });
    await this.report(item, { state: 'finishing' });
    await this.report(item, { state: 'succeeded', ...(await this.result(item, passed)) });
  }
}

/** A point of a curve. */
export const point = (step: number) => ({
  ...{ step, at: new Date().toISOString(), epoch: step / 10, loss: 1 / step, held_loss: null, accuracy: null, lr: 1e-4, tokens_per_s: 100 },
});
