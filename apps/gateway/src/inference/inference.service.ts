import { type DeploymentTask, partStream, type PublicApi, ServiceError, type StreamId, streamIdOf, taskOf } from '@slipway/contracts';
import { OpenSet, traceHeaders } from '@slipway/platform';
import type { OpenStream, StreamReceiver, StreamRequest, StreamSink } from '@slipway/stream-transport';
import type { KeyVerifier } from '../auth/key-verifier.service.js';
import type { InferenceContext } from '../http/request-context.js';
import { LimitExceeded, type Reservation, setLimitHeaders } from '../limits/rate-limiter.js';
import type { MemoryShares } from '../memory/memory-shares.js';
import type { GatewayMetrics } from '../observability/gateway-metrics.js';
import type { HeldRequest, RequestReader } from '../reading/request-reader.js';
import type { RequestChooser, Router, RouteRequest } from '../routing/router.service.js';
import type { StoredResponses } from '../stored/stored-responses.js';
import type {
  BodyReading,
  CountSurface,
  FieldNames,
  RequestParts,
  SplitSurface,
  StoreResponse,
  Surface,
  SurfaceRequest,
} from '../surfaces/surface.js';
import type { UsageReporter } from '../usage/usage-reporter.js';
import { ActiveStream } from './active-stream.js';
import { DocumentResponse, reservationFor, reserveDocument, TokenCountResponse } from './document-response.js';
import { JoinedStream } from './joined-stream.js';
import type { RelayedResponse, RelayTimes } from './relayed-response.js';
import { SseResponse, TurnEnd } from './sse-response.js';

const TICK_MS = 250;
/** Names parts of a request that are left out. */
const IGNORED_HEADER = 'x-slipway-ignored';
/** Interval at which the keys of running streams are checked, in milliseconds; a revoked key's streams end within 5 s. */
const KEY_CHECK_MS = 1_000;

export interface InferenceOptions {
  readonly receiver: Pick<StreamReceiver, 'open'>;
  readonly router: Router;
  readonly keys: KeyVerifier;
  readonly metrics: GatewayMetrics;
  readonly usage: Pick<UsageReporter, 'open' | 'claimOf'>;
  readonly reader: Pick<RequestReader, 'read'>;
  /** Memory for responses that are not streamed, and for unsent data of streams. */
  readonly responseMemory: MemoryShares;
  readonly times: RelayTimes;
  readonly stored: Pick<StoredResponses, 'store'>;
}

/** A request that is ready for a worker. */
interface Task {
  readonly context: InferenceContext;
  readonly route: RouteRequest;
  readonly chooser: RequestChooser;
  readonly api: PublicApi | 'count';
  readonly read: HeldRequest;
  readonly names?: FieldNames;
}

/** Most parts of one request that run at once, however many slots there are. */
const PARTS_AT_ONCE = 32;

/** True when the client left, or a shutdown sent an error, while the body was received. */
const isOver = ({ response }: InferenceContext): boolean => response.writableEnded || response.destroyed || response.headersSent;

/** A deployment embeds or generates. @throws ServiceError naming the endpoint of what it does */
function assertTask({ deployment }: InferenceContext, wanted: DeploymentTask): void {
  const task = taskOf(deployment.facts.caps);
  if (task === null || task === wanted) return;
  const does =
    task === 'embeddings'
      ? 'makes embeddings: use /v1/embeddings'
      : 'answers conversations: use /v1/chat/completions, /v1/messages or /v1/responses';
  throw new ServiceError('invalid_request', `This deployment ${does}.`);
}

/** The request at the candidate of its canary: from here on it is a request to that deployment. */
function atCandidate(context: InferenceContext): InferenceContext {
  const deployment = context.deployment.canary?.candidate;
  if (!deployment) throw new Error('A request without a canary was read for one.');
  context.line.note({ deployment_id: deployment.facts.id });
  return { ...context, deployment };
}

/** Runs inference requests: reads the body, starts a stream on a worker, relays its events to the response. */
export class InferenceService {
  readonly #streams = new OpenSet<ActiveStream>();
  readonly #turnEnd = new TurnEnd();
  #ticker: NodeJS.Timeout | undefined;
  #keysCheckedAt = 0;

  constructor(private readonly options: InferenceOptions) {}

  /** Responses that are not over. */
  get active(): number {
    return this.#streams.size;
  }

  /** Generates an answer. @throws ServiceError before the stream starts; later errors are written to the response */
  async generate<R extends SurfaceRequest>(surface: Surface<R>, received: InferenceContext): Promise<void> {
    assertTask(received, 'chat');
    await this.#read(surface, received, (read, context) => {
      const { shell } = read;
      context.line.note({ stream: shell.stream });
      if (shell.ignored) context.response.setHeader(IGNORED_HEADER, shell.ignored.join(', '));
      const route = this.#routeOf(context, read);
      const chooser = this.options.router.chooserFor(route);
      const { times, responseMemory } = this.options;
      const hold = shell.stream ? reservationFor(responseMemory, context) : reserveDocument(responseMemory, context);
      this.#begin({ context, route, chooser, api: surface.api, read, ...(shell.names && { names: shell.names }) }, (stream, streamId) => {
        const store: StoreResponse = (values) =>
          this.options.stored.store({ account: context.caller.account.id, deployment: context.deployment.facts.id }, streamId, values);
        const writer = surface.writer(shell, context.deployment, streamId, store);
        const options = { context, writer, times, cut: stream.cut.bind(stream), hold };
        return shell.stream ? new SseResponse({ turnEnd: this.#turnEnd, ...options }) : new DocumentResponse(options);
      });
    });
  }

  /** Makes embeddings: workers answer the parts of the request side by side. @throws ServiceError as `generate` does */
  async embed<R extends SurfaceRequest & { readonly parts: RequestParts }>(
    surface: SplitSurface<R>,
    received: InferenceContext,
  ): Promise<void> {
    assertTask(received, 'embeddings');
    await this.#read(surface, received, (read, context) => {
      const { shell } = read;
      const { router, times, responseMemory } = this.options;
      context.line.note({ stream: false });
      const route = { embeds: true, ...this.#routeOf(context, read) };
      const hold = reserveDocument(responseMemory, context);
      this.#begin({ context, route, chooser: router.chooserFor(route), api: surface.api, read }, (stream) => {
        const writer = surface.writer(shell, context.deployment);
        return new DocumentResponse({ context, writer, times, cut: stream.cut.bind(stream), hold });
      });
    });
  }

  /** Counts the tokens of a prompt. @throws ServiceError as `generate` does */
  async count(surface: CountSurface, received: InferenceContext): Promise<void> {
    assertTask(received, 'chat');
    await this.#read(surface, received, (read, context) => {
      const route = this.#routeOf(context, read);
      const chooser = this.options.router.countChooserFor(route);
      this.#begin({ context, route, chooser, api: 'count', read }, () => new TokenCountResponse(context, surface));
    });
  }

  /** Ends all streams with an error for their clients. */
  stopAll(error: ServiceError): void {
    for (const stream of this.#streams) stream.stop(error);
  }

  /** Reads the body, which decides between the sides of a canary. Its memory is released once a worker accepts the request, or with the error. */
  async #read<R extends SurfaceRequest>(
    reading: BodyReading<R>,
    context: InferenceContext,
    begin: (read: HeldRequest<R>, context: InferenceContext) => void,
  ): Promise<void> {
    const { keys, reader } = this.options;
    const read = await reader.read(reading, context);
    let isBegun = false;
    try {
      // The key may have been revoked during the upload.
      if (!keys.stillValid(context.caller)) throw keys.invalidKey();
      if (isOver(context)) return;
      begin(read, read.isCanary ? atCandidate(context) : context);
      isBegun = true;
    } finally {
      if (!isBegun) read.hold.release();
    }
  }

  #routeOf({ deployment: { facts }, caller }: InferenceContext, { affinity, cost }: HeldRequest): RouteRequest {
    return { deployment: facts.id, rev: this.options.router.revisionOf(facts), affinity, key: caller.key.id, cost };
  }

  #begin(task: Task, respond: (stream: ActiveStream, streamId: StreamId) => RelayedResponse): void {
    const { metrics, times, usage } = this.options;
    const { context, route, chooser, api, read, names = {} } = task;
    const { hold, shell } = read;
    const streamId = streamIdOf(context.id);
    const reservation = this.#admit(task, streamId);
    const { maxTokens, choices } = read;
    const units = shell.parts?.units;
    const bounds = { maxTokens, choices, promptUnits: units?.reduce((sum, each) => sum + each, 0) };
    const metered = { context, streamId, rev: route.rev, stream: shell.stream, reservation, ...bounds };
    const claimOf = (part: number): string =>
      usage.claimOf({ context, ...bounds, streamId: partStream(streamId, part), promptUnits: units?.[part] });
    const claim = api === 'count' ? undefined : claimOf(0);
    let unsent = shell.parts?.firsts.length ?? 1;
    const stream = new ActiveStream({
      context,
      streamId,
      metrics: api === 'count' ? null : metrics,
      meter: api === 'count' ? null : usage.open({ api, ...metered }),
      engineSilenceMs: times.engineSilenceMs,
      accepted: (worker) => {
        unsent -= 1;
        if (unsent <= 0) hold.release();
        // Each part of a request has a chooser of its own.
        if (!shell.parts) chooser.accepted(worker);
      },
      names,
      over: (finished) => {
        hold.release();
        this.#streams.delete(finished);
      },
    });
    this.#add(stream);
    stream.begin(respond(stream, streamId), this.#openerOf(task, streamId, claim, claimOf));
  }

  /** Opens the streams of a request. Apart, so that nothing that outlives it keeps the whole request. */
  #openerOf(
    { context, route, chooser, api, read: { canonical, shell } }: Task,
    streamId: StreamId,
    claim: string | undefined,
    claimOf: (part: number) => string,
  ): (sink: StreamSink) => OpenStream {
    const { account, key } = context.caller;
    const start = {
      st: streamId,
      dep: route.deployment,
      rev: route.rev,
      api: shell.parts ? ('embed' as const) : api,
      whole: !shell.stream,
      req: canonical,
      account: account.id,
      key: key.id,
      claim,
      trace: traceHeaders(context.trace),
    };
    return (sink) =>
      shell.parts ? this.#openParts(start, shell.parts, { route, sink, claimOf }) : this.options.receiver.open(start, chooser, sink);
  }

  /** Opens a stream for each part, named after the request; the first one is the request's own. */
  #openParts(
    start: StreamRequest,
    { firsts, costs, more }: RequestParts,
    { route, sink, claimOf }: { readonly route: RouteRequest; readonly sink: StreamSink; readonly claimOf: (part: number) => string },
  ): OpenStream {
    const { receiver, router } = this.options;
    const parts = firsts.map((first, i) => {
      const req = i === 0 ? start.req : (more[i - 1] ?? start.req);
      // keys-service adds up the counts that workers have of the parts.
      const request = { ...start, req, ...(i > 0 && { st: partStream(start.st, i), claim: claimOf(i) }) };
      const own = { ...route, affinity: route.affinity + i, cost: costs[i] ?? route.cost };
      const open = (part: StreamSink): OpenStream => {
        const chooser = router.chooserFor(own);
        const accepted: StreamSink['accepted'] = (worker, attempt) => {
          chooser.accepted(worker);
          part.accepted(worker, attempt);
        };
        return receiver.open(request, chooser, { ...part, accepted });
      };
      return { first, open };
    });
    const atOnce = Math.max(1, Math.min(PARTS_AT_ONCE, router.slotsOf(route.deployment)));
    return new JoinedStream(parts, atOnce, sink);
  }

  /** @throws ServiceError `rate_limit_exceeded` */
  #admit({ context, api, route }: Task, request: StreamId): Reservation {
    const isGeneration = api !== 'count';
    try {
      const reservation = context.permit.reserve({ request, tokens: isGeneration ? route.cost : 0, isGeneration });
      setLimitHeaders(context.response, reservation.headers);
      return reservation;
    } catch (error) {
      if (error instanceof LimitExceeded) setLimitHeaders(context.response, error.headers);
      throw error;
    }
  }

  #add(stream: ActiveStream): void {
    this.#streams.add(stream);
    this.#ticker ??= setInterval(() => this.#tick(), TICK_MS);
  }

  /** The ticker ends with the first tick that finds no stream. */
  #tick(): void {
    if (this.#streams.size === 0) {
      clearInterval(this.#ticker);
      this.#ticker = undefined;
      return;
    }
    const now = performance.now();
    for (const stream of this.#streams) stream.tick(now);
    if (now - this.#keysCheckedAt < KEY_CHECK_MS) return;
    this.#keysCheckedAt = now;
    for (const stream of this.#streams) {
      if (!this.options.keys.stillValid(stream.caller)) stream.stop(new ServiceError('invalid_api_key', 'The API key is no longer valid.'));
    }
  }
}
