import { type PublicApi, ServiceError, type StreamId } from '@slipway/contracts';
import { OpenSet, randomToken } from '@slipway/platform';
import type { StreamReceiver, WorkerChooser } from '@slipway/stream-transport';
import type { KeyVerifier } from '../auth/key-verifier.service.js';
import type { InferenceCall } from '../http/exchange.js';
import type { GatewayMetrics } from '../observability/gateway-metrics.js';
import type { Router, RouteRequest } from '../routing/router.service.js';
import type { BodyReading, CountSurface, FieldNames, Surface, SurfaceRequest } from '../surfaces/surface.js';
import { type Charge, LimitExceeded, noteHeaders } from '../limits/limit-book.js';
import type { MemoryShares } from '../memory/memory-shares.js';
import type { HeldRequest, RequestReader } from '../reading/request-reader.js';
import type { UsageReporter } from '../usage/usage-reporter.js';
import { ActiveStream } from './active-stream.js';
import type { Answer } from './answer.js';
import { CountAnswer } from './count-answer.js';
import { DocumentAnswer, holdAnswer, holdFor } from './document-answer.js';
import { LoopPressure } from './loop-pressure.js';
import type { RelayTimes } from './relay-times.js';
import { SseAnswer } from './sse-answer.js';

const TICK_MS = 250;
/** Keys of running streams are looked at this often; a revoked key's streams end within 5 s. */
const KEY_CHECK_MS = 1_000;

export interface InferenceOptions {
  readonly receiver: Pick<StreamReceiver, 'open'>;
  readonly router: Router;
  readonly keys: KeyVerifier;
  readonly metrics: GatewayMetrics;
  readonly usage: Pick<UsageReporter, 'open' | 'claimOf'>;
  readonly reader: Pick<RequestReader, 'read'>;
  /** Memory of all answers that are gathered. */
  readonly answers: MemoryShares;
  readonly times: RelayTimes;
}

/** What a worker is to do, and who chooses it. */
interface Task {
  readonly call: InferenceCall;
  readonly route: RouteRequest;
  readonly chooser: WorkerChooser;
  readonly api: PublicApi | 'count';
  readonly read: HeldRequest;
  readonly names?: FieldNames;
}

/** The client may have left, or a shutdown may have answered, while the body was on its way. */
const isOver = ({ response }: InferenceCall): boolean => response.writableEnded || response.destroyed || response.headersSent;

/** Answers inference calls: body to canonical request, request to worker, worker's events to the response. */
export class InferenceService {
  readonly #streams = new OpenSet<ActiveStream>();
  readonly #pressure = new LoopPressure();
  #ticker: NodeJS.Timeout | undefined;
  #keysCheckedAt = 0;

  constructor(private readonly options: InferenceOptions) {}

  /** Responses that are not over. */
  get active(): number {
    return this.#streams.size;
  }

  /** @throws ServiceError for what is wrong before the stream is opened; later faults go into the answer. */
  async answer<R extends SurfaceRequest>(surface: Surface<R>, call: InferenceCall): Promise<void> {
    await this.#read(surface, call, (read) => {
      const { shell } = read;
      call.line.note({ stream: shell.stream });
      const route = this.#routeOf(call, read);
      const chooser = this.options.router.chooserFor(route);
      const { times, answers } = this.options;
      const hold = shell.stream ? holdFor(answers, call) : holdAnswer(answers, call);
      this.#begin({ call, route, chooser, api: surface.api, read, ...(shell.names && { names: shell.names }) }, (stream, streamId) => {
        const writer = surface.writer(shell, call.deployment, streamId);
        const options = { exchange: call, writer, times, cut: stream.cut.bind(stream), hold };
        return shell.stream ? new SseAnswer({ ...options, pressure: this.#pressure }) : new DocumentAnswer(options);
      });
    });
  }

  /** Answers with the length of a prompt. @throws ServiceError as `answer` does. */
  async count(surface: CountSurface, call: InferenceCall): Promise<void> {
    await this.#read(surface, call, (read) => {
      const route = this.#routeOf(call, read);
      const chooser = this.options.router.countChooserFor(route);
      this.#begin({ call, route, chooser, api: 'count', read }, () => new CountAnswer(call, surface));
    });
  }

  /** Ends all streams with an error that their clients see. */
  stopAll(error: ServiceError): void {
    for (const stream of this.#streams) stream.stop(error);
  }

  /** Reads the request of a call; its memory is given back when a worker has it, or with the error. */
  async #read<R extends SurfaceRequest>(
    reading: BodyReading<R>,
    call: InferenceCall,
    begin: (read: HeldRequest<R>) => void,
  ): Promise<void> {
    const { keys, reader } = this.options;
    const read = await reader.read(reading, call);
    let isBegun = false;
    try {
      // An upload may take longer than a revocation.
      if (!keys.stillValid(call.caller)) throw keys.invalidKey();
      if (isOver(call)) return;
      begin(read);
      isBegun = true;
    } finally {
      if (!isBegun) read.hold.release();
    }
  }

  #routeOf({ deployment: { facts }, caller }: InferenceCall, { affinity, cost }: HeldRequest): RouteRequest {
    return { deployment: facts.id, rev: this.options.router.revisionOf(facts), affinity, key: caller.key.id, cost };
  }

  #begin(task: Task, answerTo: (stream: ActiveStream, streamId: StreamId) => Answer): void {
    const { receiver, router, metrics, times, usage } = this.options;
    const { call, route, chooser, api, read, names = {} } = task;
    const { canonical, hold, shell } = read;
    const streamId = randomToken() as StreamId;
    const charge = this.#admit(task, streamId);
    const metered = { call, streamId, rev: route.rev, stream: shell.stream, charge };
    const { maxTokens, choices } = read;
    const claim = api === 'count' ? undefined : usage.claimOf({ call, streamId, maxTokens, choices });
    const stream = new ActiveStream({
      call,
      streamId,
      metrics: api === 'count' ? null : metrics,
      meter: api === 'count' ? null : usage.open({ ...metered, api, maxTokens, choices }),
      engineSilenceMs: times.engineSilenceMs,
      accepted: (worker) => {
        hold.release();
        router.accepted(route.deployment, worker);
      },
      names,
      over: (finished) => {
        hold.release();
        this.#remove(finished);
      },
    });
    this.#add(stream);
    const { account, key } = call.caller;
    const start = {
      st: streamId,
      dep: route.deployment,
      rev: route.rev,
      api,
      req: canonical,
      account: account.id,
      key: key.id,
      claim,
    };
    stream.begin(answerTo(stream, streamId), (sink) => receiver.open(start, chooser, sink));
  }

  /** @throws ServiceError `rate_limit_exceeded` */
  #admit({ call, api, route }: Task, request: StreamId): Charge {
    const isGeneration = api !== 'count';
    try {
      const charge = call.entrance.admit({ request, tokens: isGeneration ? route.cost : 0, isGeneration });
      noteHeaders(call.response, charge.headers);
      return charge;
    } catch (refusal) {
      if (refusal instanceof LimitExceeded) noteHeaders(call.response, refusal.headers);
      throw refusal;
    }
  }

  #add(stream: ActiveStream): void {
    this.#streams.add(stream);
    this.#ticker ??= setInterval(() => this.#tick(), TICK_MS);
    this.#pressure.watch(true);
  }

  #remove(stream: ActiveStream): void {
    this.#streams.delete(stream);
    if (this.#streams.size > 0) return;
    clearInterval(this.#ticker);
    this.#ticker = undefined;
    this.#pressure.watch(false);
  }

  #tick(): void {
    const now = performance.now();
    for (const stream of this.#streams) stream.tick(now);
    if (now - this.#keysCheckedAt < KEY_CHECK_MS) return;
    this.#keysCheckedAt = now;
    for (const stream of this.#streams) {
      if (!this.options.keys.stillValid(stream.caller)) stream.stop(new ServiceError('invalid_api_key', 'The API key is no longer valid.'));
    }
  }
}
