import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type AdapterView,
  EvaluateRollout,
  FindAdapter,
  FindSuite,
  OpenBlob,
  ReportAdapterUse,
  type RpcContract,
  ServeAdapter,
  ServiceError,
} from '@slipway/contracts';
import type { NatsConnection, RpcResponder } from '@slipway/platform';
import type { z } from 'zod';
import { answerCalls } from '../services/answer-calls.js';

type Served = z.input<typeof ServeAdapter.reply>;

/** An adapter as the scripted service has it. */
export interface ScriptedAdapter extends Omit<Served, 'adapter' | 'sha256' | 'bytes'> {
  readonly id: number;
  readonly account: number;
  readonly content: Buffer;
  /** Archive of its PEFT form. */
  readonly peft?: Buffer;
  /** Its verdict is bad. */
  readonly failedGate?: boolean;
}

export const sha256Of = (content: Buffer): string => createHash('sha256').update(content).digest('hex');

function viewOf({ id, name, version, content, peft: _, witness, base_path, ...rest }: ScriptedAdapter): z.input<typeof AdapterView> {
  const { base_sha256, template_sha256, tokenizer_sha256 } = rest;
  return {
    ...{ id, name, version, job: null, step: null, dataset: null, dataset_name: null, dataset_version: null, source_deleted: false },
    ...{ base: 'tiny', base_path, base_sha256, template_sha256, tokenizer_sha256, sha256: sha256Of(content), bytes: content.length },
    ...{ rank: 8, alpha: 16, modules: ['attn_q'], witness_distance: witness.distance, verdict: null, deployments: [] },
    created_by: { actor: 'user', actor_id: 1, actor_name: null },
    created_at: new Date(0).toISOString(),
  };
}

/** An evaluation that has just begun. */
const EVALUATION = {
  ...{ suite_name: 'support', state: 'running' as const, detail: null, done: 0, total: 20, has_changed: false },
  ...{ graders: ['exact'], result: null },
};

const suiteView = (id: number): z.input<typeof FindSuite.reply>['suite'] => ({
  ...{ id, name: 'support', dataset: 1, dataset_name: 'questions', version: 1, sample: 10, seed: 1, graders: [{ kind: 'exact' }] },
  ...{ gate: null, source_deleted: false, evaluations: 0, created_by: { actor: 'user', actor_id: 1, actor_name: null } },
  created_at: new Date(0).toISOString(),
});

/** tuning-service as far as serving needs it: answers what the test gave it, and hands out adapters for tickets. */
export class ScriptedTuning {
  readonly adapters = new Map<number, ScriptedAdapter>();
  /** Reports of uses, in their order. */
  readonly uses: z.output<typeof ReportAdapterUse.request>[] = [];
  /** Adapters that are served in spite of their verdict, with the reasons. */
  readonly overrides: string[] = [];
  /** Bytes that were sent, by request. */
  readonly sent: { readonly from: number; readonly bytes: number }[] = [];
  /** What the evaluation of a rollout is like, by suite; the first one has the name `support`. */
  readonly suites = new Map<number, Partial<z.input<typeof EvaluateRollout.reply>>>();
  /** Questions for evaluations of rollouts, in their order. */
  readonly evaluated: z.output<typeof EvaluateRollout.request>[] = [];
  /** Content that the door sends in place of the right one. */
  readonly replaced = new Map<number, Buffer>();
  /** The door breaks the next answers off after this many bytes, one by one. */
  readonly breaks: number[] = [];
  tickets = 0;
  readonly #open = new Map<string, Buffer>();
  #responders: RpcResponder[] = [];

  private constructor(
    private readonly nats: NatsConnection,
    private readonly door: Server,
  ) {}

  static async start(nats: NatsConnection): Promise<ScriptedTuning> {
    const door = createServer();
    door.listen(0, '127.0.0.1');
    await once(door, 'listening');
    const tuning = new ScriptedTuning(nats, door);
    tuning.#openDoor();
    await tuning.resume();
    return tuning;
  }

  get #url(): string {
    return `http://127.0.0.1:${(this.door.address() as AddressInfo).port}`;
  }

  add(adapter: ScriptedAdapter): ScriptedAdapter {
    this.adapters.set(adapter.id, adapter);
    return adapter;
  }

  /** Answers no more calls; the door stays open. */
  async pause(): Promise<void> {
    await Promise.all(this.#responders.splice(0).map((responder) => responder.close()));
  }

  async resume(): Promise<void> {
    await this.#serve(ServeAdapter, ({ account, adapter, override }) => {
      const found = this.#find(account, adapter);
      if (found.failedGate === true && override === undefined) throw new ServiceError('gate_not_passed', 'Its keep set got worse.');
      if (override !== undefined) this.overrides.push(override);
      const { id, account: _, content, peft: __, failedGate: ___, ...rest } = found;
      return { ...rest, adapter: id, sha256: sha256Of(content), bytes: content.length };
    });
    await this.#serve(FindAdapter, ({ account, adapter }) => ({ adapter: viewOf(this.#find(account, adapter)) }));
    await this.#serve(ReportAdapterUse, (use) => {
      this.uses.push(use);
      return {};
    });
    await this.#serve(FindSuite, ({ suite }) => ({ suite: suiteView(this.#suite(suite)) }));
    await this.#serve(EvaluateRollout, (request) => {
      this.evaluated.push(request);
      const { suite } = request;
      return { ...EVALUATION, evaluation: suite, ...this.suites.get(this.#suite(suite)) };
    });
    await this.#serve(OpenBlob, ({ blob }) => {
      if (blob.of !== 'adapter') throw new ServiceError('blob_not_found', 'No such blob.');
      const found = this.#find(blob.account, blob.adapter, 'blob_not_found');
      const content = blob.form === 'peft' ? (found.peft ?? found.content) : found.content;
      const ticket = `ticket-${(this.tickets += 1)}`;
      this.#open.set(ticket, this.replaced.get(blob.adapter) ?? content);
      const sha256 = sha256Of(content);
      const expires_at = new Date(Date.now() + 3_600_000).toISOString();
      return { url: `${this.#url}/b/${sha256}?t=${ticket}`, sha256, bytes: content.length, expires_at };
    });
  }

  async stop(): Promise<void> {
    await this.pause();
    const closed = once(this.door, 'close');
    this.door.close();
    this.door.closeAllConnections();
    await closed;
  }

  #find(account: number, id: number, code: 'adapter_not_found' | 'blob_not_found' = 'adapter_not_found'): ScriptedAdapter {
    const found = this.adapters.get(id);
    if (found?.account === account) return found;
    throw new ServiceError(code, 'This account has no such adapter.');
  }

  #suite(named: number | string): number {
    const [first] = this.suites.keys();
    const suite = named === EVALUATION.suite_name ? first : Number(named);
    if (suite !== undefined && this.suites.has(suite)) return suite;
    throw new ServiceError('suite_not_found', 'This account has no such suite.', { param: 'suite' });
  }

  async #serve<C extends RpcContract>(contract: C, answer: (request: z.output<C['request']>) => z.input<C['reply']>): Promise<void> {
    this.#responders.push(await answerCalls(this.nats, contract, answer));
  }

  #openDoor(): void {
    this.door.on('request', (request, response) => {
      const content = this.#open.get(new URL(request.url ?? '/', this.#url).searchParams.get('t') ?? '');
      if (content) this.#send(content, request, response);
      else response.writeHead(404).end();
    });
  }

  #send(content: Buffer, { method, headers: { range } }: IncomingMessage, response: ServerResponse): void {
    const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(range ?? '') ?? [];
    const [from, to] = [Number(first ?? 0), last ? Number(last) + 1 : content.length];
    const part = range !== undefined && { 'content-range': `bytes ${from}-${to - 1}/${content.length}` };
    response.writeHead(part ? 206 : 200, { 'content-length': to - from, etag: `"${sha256Of(content)}"`, ...part });
    if (method === 'HEAD') return void response.end();
    const end = Math.min(to, from + (this.breaks.shift() ?? Infinity));
    this.sent.push({ from, bytes: end - from });
    if (end === to) return void response.end(content.subarray(from, to));
    return void response.write(content.subarray(from, end), () => response.destroy());
  }
}
