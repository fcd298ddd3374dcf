import { ServiceError, type StreamId } from '@slipway/contracts';
import { nuid } from '@slipway/platform';
import type { StreamReceiver } from '@slipway/stream-transport';
import type { KeyVerifier } from '../auth/key-verifier.service.js';
import type { InferenceCall } from '../http/exchange.js';
import type { GatewayMetrics } from '../observability/gateway-metrics.js';
import { affinityOf } from '../routing/affinity.js';
import type { Router } from '../routing/router.service.js';
import type { Surface, SurfaceRequest } from '../surfaces/surface.js';
import { ActiveStream } from './active-stream.js';
import { DocumentAnswer } from './document-answer.js';
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
  readonly times: RelayTimes;
}

/** Answers inference calls: body to canonical request, request to worker, worker's events to the response. */
export class InferenceService {
  readonly #streams = new Set<ActiveStream>();
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
    const body = await call.body();
    const request = surface.read(body, call.deployment);
    call.line.note({ stream: request.stream });
    // The client may have left, or a shutdown may have answered, while the body was on its way.
    if (call.response.writableEnded || call.response.destroyed || call.response.headersSent) return;
    this.#begin(surface, call, request);
  }

  /** Ends all streams with an error that their clients see. */
  stopAll(error: ServiceError): void {
    for (const stream of this.#streams) stream.stop(error);
  }

  #begin<R extends SurfaceRequest>(surface: Surface<R>, call: InferenceCall, request: R): void {
    const { receiver, router, metrics, times } = this.options;
    const streamId = nuid.next() as StreamId;
    const { facts } = call.deployment;
    const stream = new ActiveStream({
      call,
      streamId,
      metrics,
      engineSilenceMs: times.engineSilenceMs,
      accepted: (worker) => router.accepted(facts.id, worker),
      over: (finished) => this.#remove(finished),
    });
    this.#add(stream);
    const writer = surface.writer(request, call.deployment, streamId);
    const cut = stream.cut.bind(stream);
    const answer = request.stream
      ? new SseAnswer({ exchange: call, writer, pressure: this.#pressure, times, cut })
      : new DocumentAnswer({ exchange: call, writer, times, cut });
    const rev = router.revisionOf(facts);
    const chooser = router.chooserFor({ deployment: facts.id, rev, affinity: affinityOf(request.canonical, request.affinity) });
    const start = { st: streamId, dep: facts.id, rev, api: surface.api, req: request.canonical, caps: [] };
    stream.begin(answer, (sink) => receiver.open({ ...start, account: call.caller.account.id, key: call.caller.key.id }, chooser, sink));
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
      if (!this.options.keys.stillValid(stream.caller)) stream.stop(new ServiceError('invalid_api_key', 'The API key was revoked.'));
    }
  }
}
