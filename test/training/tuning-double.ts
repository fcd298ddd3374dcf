import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type BlobName,
  type ErrorCode,
  type JobDesired,
  OpenBlob,
  type ReportedState,
  ReportImport,
  ReportMeasure,
  ReportTraining,
  type RpcContract,
  ServiceError,
  StoreBlob,
  StoreImportBlob,
  subjectOf,
  TrainerHeartbeat,
  TrainingAssignment,
  type TrainingItem,
  wildcardOf,
} from '@slipway/contracts';
import { connectNats, createLogger, type NatsConnection, type RpcResponder } from '@slipway/platform';
import type { z } from 'zod';
import { answerCalls } from '../services/answer-calls.js';

type Report = z.output<typeof ReportTraining.request>;

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
function nameOf(blob: z.output<typeof BlobName>): string {
  if (blob.of === 'adapter') return 'adapter';
  if (blob.of === 'import') return `import:${blob.import}`;
  return blob.of === 'version' ? `version:${blob.dataset}/${blob.version}` : `checkpoint:${blob.step}/${blob.part}`;
}

/** What tuning-service is to a training worker: blobs behind tickets, assignments, and reports in order. */
export class TuningDouble {
  readonly beats: TrainerHeartbeat[] = [];
  readonly reports: Report[] = [];
  /** What became of adapters from outside. */
  readonly imports: z.output<typeof ReportImport.request>[] = [];
  readonly measures: z.output<typeof ReportMeasure.request>[] = [];
  readonly blobs = new Map<string, Buffer>();
  /** Names of blobs that workers read. */
  readonly named = new Map<string, string>();
  desired: JobDesired = 'run';
  /** Attempts below are superseded. */
  leastAttempt = 1;
  /** Whether the door refuses all bytes. */
  isFull = false;
  /** The next so many reports are not answered. */
  deaf = 0;
  /** What the next reports of imports are answered with, before one is taken. */
  readonly importRefusals: ErrorCode[] = [];
  readonly #responders: RpcResponder[] = [];
  #no = 0;

  private constructor(
    private readonly nats: NatsConnection,
    private readonly door: Server,
    private readonly env: string,
  ) {}

  static async start(url: string, env: string): Promise<TuningDouble> {
    const nats = await connectNats({ url, role: 'tuning', name: 'tuning-double', log: createLogger('test', 'silent') });
    const door = createServer();
    const double = new TuningDouble(nats, door, env);
    door.on('request', (request, response) => {
      const [, sum = ''] = /^\/b\/([0-9a-f]{64})\?t=ticket$/.exec(request.url ?? '') ?? [];
      if (request.method === 'GET') return void response.writeHead(double.blobs.has(sum) ? 200 : 404).end(double.blobs.get(sum));
      const pieces: Buffer[] = [];
      request.on('data', (piece: Buffer) => pieces.push(piece));
      request.on('end', () => {
        const bytes = Buffer.concat(pieces);
        const isTaken = !double.isFull && sha256(bytes) === sum;
        if (isTaken) double.blobs.set(sum, bytes);
        response.writeHead(isTaken ? 201 : 409).end('{}');
      });
    });
    door.listen(0, '127.0.0.1');
    await once(door, 'listening');
    await double.#serve();
    return double;
  }

  get steps(): number[] {
    return this.reports.flatMap(({ metrics = [] }) => metrics.flatMap(({ step, loss }) => (loss === null ? [] : [step])));
  }

  get states(): ReportedState[] {
    return this.reports.flatMap(({ state }) => state ?? []);
  }

  /** Forgets what jobs reported, for the next one. */
  reset(): void {
    this.reports.length = 0;
    this.measures.length = 0;
    this.leastAttempt = 1;
  }

  /** Stores a blob under the name by which workers ask for it. */
  put(name: string, bytes: Buffer): void {
    this.blobs.set(sha256(bytes), bytes);
    this.named.set(name, sha256(bytes));
  }

  assign(tw: string, term: number, items: z.input<typeof TrainingItem>[]): void {
    const message = { term, no: (this.#no += 1), items };
    this.nats.publish(subjectOf(TrainingAssignment, { env: this.env, tw }), JSON.stringify(message));
  }

  async stop(): Promise<void> {
    await Promise.all(this.#responders.map((responder) => responder.close()));
    await this.nats.close();
    this.door.closeAllConnections();
    this.door.close();
  }

  async #serve(): Promise<void> {
    const subject = wildcardOf(TrainerHeartbeat, { env: this.env });
    this.nats.subscribe(subject, {
      callback: (_, message) => void this.beats.push(TrainerHeartbeat.message.parse(JSON.parse(message.string()))),
    });
    await this.#answer(OpenBlob, ({ blob }) => this.#open(nameOf(blob)));
    await this.#answer(StoreBlob, ({ sha256: sum, attempt }) => {
      this.#fence(attempt);
      return this.blobs.has(sum) && !this.isFull ? { url: null, ticket: null } : { url: this.#url(sum), ticket: 'x'.repeat(20) };
    });
    await this.#answer(ReportTraining, (report) => {
      this.#fence(report.attempt);
      if (this.deaf > 0) {
        this.deaf -= 1;
        throw new ServiceError('unavailable', 'Not now.');
      }
      if (report.seq > (this.reports.at(-1)?.seq ?? 0)) this.reports.push(report);
      return { seq: report.seq, desired: this.desired, adapter: null };
    });
    await this.#answer(StoreImportBlob, ({ sha256: sum }) => ({ url: this.#url(sum), ticket: 'x'.repeat(20) }));
    await this.#answer(ReportImport, (report) => {
      const refusal = this.importRefusals.shift();
      if (refusal) throw new ServiceError(refusal, 'Not this one.');
      this.imports.push(report);
      return { adapter: null };
    });
    await this.#answer(ReportMeasure, (measure) => {
      this.measures.push(measure);
      return {};
    });
  }

  async #answer<C extends RpcContract>(contract: C, handle: (request: z.output<C['request']>) => z.input<C['reply']>): Promise<void> {
    this.#responders.push(await answerCalls(this.nats, contract, handle, { env: this.env }));
  }

  #open(name: string): z.input<typeof OpenBlob.reply> {
    const sum = this.named.get(name);
    const bytes = sum === undefined ? undefined : this.blobs.get(sum);
    if (sum === undefined || !bytes) throw new ServiceError('blob_not_found', 'There is no such blob.');
    return { url: this.#url(sum), sha256: sum, bytes: bytes.length, expires_at: new Date(Date.now() + 60_000).toISOString() };
  }

  #url(sum: string): string {
    return `http://127.0.0.1:${(this.door.address() as AddressInfo).port}/b/${sum}?t=ticket`;
  }

  #fence(attempt: number): void {
    if (attempt < this.leastAttempt) throw new ServiceError('attempt_superseded', 'Another worker has this job.');
  }
}
