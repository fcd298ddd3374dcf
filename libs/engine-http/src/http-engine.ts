import { createHash } from 'node:crypto';
import { type AccountId, type CanonicalRequest, dimensionsWord, ServiceError, type Usage } from '@slipway/contracts';
import {
  AdmissionQueue,
  BYTES_PER_TOKEN,
  type Engine,
  type EngineFacts,
  type EngineLoad,
  EngineLoadError,
  type EngineOutput,
  type EngineSettings,
  estimateTokens,
  makesEmbeddings,
  textsOf,
  type TokenCount,
  type UnreadRequest,
} from '@slipway/engine';
import { HostList, LightAbort, OpenSet, type ThreadPool, withinTime } from '@slipway/platform';
import { AdapterGate, type AnswerTry } from './adapters/adapter-gate.js';
import { AnswerRelay } from './answer-relay.js';
import { embedTexts } from './embed-texts.js';
import { assertSupported, FLAVOURS } from './flavour.js';
import { HttpGeneration } from './http-generation.js';
import { ImageFetcher, type ImageHold, ImageRoom } from './image-fetcher.js';
import {
  bodyOf,
  type BodyPiece,
  prepareCount,
  type PreparedCount,
  type PreparedRequest,
  prepareRequest,
  textsIn,
  withImages,
} from './prepared-request.js';
import { ReadShares } from './read-shares.js';
import { prepareApart, prepareLarge } from './request-preparer.js';
import { type EngineCheck, SharedChecks } from './shared-checks.js';
import { EventRoom } from './sse-reader.js';
import { UpstreamClient } from './upstream-client.js';
import { UpstreamProfile } from './upstream-profile.js';
import { COMPARED_CHARS } from './without-quotes.js';

/** The server behind an engine and the name that it knows the model by. */
export interface Upstream {
  /** Base of the chat-completions contract, with or without `/v1`. */
  readonly url: string;
  readonly model: string;
  /** Unix socket of the server; absent = the host of `url`. */
  readonly socketPath?: string | undefined;
  /** Whether the first numbers of an embedding are one too, as the owner of the deployment says. */
  readonly matryoshka?: boolean | undefined;
}

/** How long an HTTP engine may take, in milliseconds. */
export interface HttpEngineLimits {
  /** After an answer is complete: for the usage and the end of the stream. */
  readonly endMs: number;
  /** For a connection. */
  readonly connectMs: number;
  /** For all questions of one check of the server. */
  readonly probeMs: number;
  /** For one count of tokens. */
  readonly countMs: number;
}

const LIMITS: HttpEngineLimits = {
  endMs: 5_000,
  connectMs: 5_000,
  probeMs: 5_000,
  countMs: 10_000,
};
/** Questions beside the chat that run at once: they have connections of their own, and wait for no answer. */
const ASIDE_CONNECTIONS = 8;
const MIB = 1024 * 1024;
/** What large events of all engines of this process hold while they arrive, and those of one account, in characters. */
const LARGE_EVENTS = new EventRoom({ perAccount: 16 * MIB, inAll: 64 * MIB });
/** Some 16,000 chunks of one token each per second, and 4,000 more for each account, whatever the others do. */
const SHARES = new ReadShares({ bytesPerS: 4 * MIB, freeBytesPerS: MIB, burstBytes: MIB });
const IMAGES = new ImageRoom();
const CHECKS = new SharedChecks();
const NOTHING_DONE: Usage = { prompt: 0, cached: 0, completion: 0 };

const shutDown = (): ServiceError => new ServiceError('server_shutting_down', 'The model is being unloaded.', { retryAfterS: 1 });

const isUnread = (request: CanonicalRequest | UnreadRequest): request is UnreadRequest => request instanceof Uint8Array;

/** A request in its slot. */
interface Asked {
  readonly output: EngineOutput;
  readonly hold: ImageHold;
  readonly controller: AbortController;
}

/** A request that can be sent. */
interface ReadyRequest {
  readonly prepared: PreparedRequest;
  /** The body with its images. */
  readonly pieces: readonly BodyPiece[];
  readonly sent: () => Iterable<string>;
}

/** A model behind any server of the chat-completions contract. */
export class HttpEngine implements Engine {
  readonly #queue: AdmissionQueue;
  readonly #client: UpstreamClient;
  readonly #aside: UpstreamClient;
  readonly #images: ImageFetcher;
  readonly #check: EngineCheck;
  readonly #limits: HttpEngineLimits;
  readonly #running = new OpenSet<AbortController>();
  readonly #profile: UpstreamProfile;
  readonly #adapter: AdapterGate;
  readonly lost: Promise<EngineLoadError>;
  #closed = false;

  /** @param limits waiting times that differ from the usual ones. */
  constructor(
    private readonly upstream: Upstream,
    private readonly settings: EngineSettings,
    limits: Partial<HttpEngineLimits> = {},
  ) {
    this.#limits = { ...LIMITS, ...limits };
    this.#queue = new AdmissionQueue(settings.slots, settings.queue);
    const { url, socketPath } = upstream;
    const access = { url, socketPath, credential: settings.credential, connectTimeoutMs: this.#limits.connectMs };
    this.#client = new UpstreamClient({ ...access, connections: settings.slots });
    this.#adapter = new AdapterGate(settings.exported);
    this.lost = this.#adapter.lost;
    // A server that lists an adapter said so over one of these a moment ago: that it is gone shows a restart at once.
    this.#aside = new UpstreamClient({ ...access, connections: ASIDE_CONNECTIONS, dropped: this.#adapter.outdate });
    this.#check = CHECKS.open({
      url,
      socketPath,
      credential: settings.credential,
      connectMs: this.#limits.connectMs,
      answerMs: this.#limits.probeMs,
    });
    const { probeMs } = this.#limits;
    this.#profile = new UpstreamProfile({ client: this.#aside, model: upstream.model, probeMs, pace: () => SHARES.paceOf(null) });
    this.#images = new ImageFetcher({ hosts: new HostList(settings.imageHosts ?? []) });
  }

  async load(onProgress: (progress: number) => void, signal: AbortSignal): Promise<EngineFacts> {
    const { url, model } = this.upstream;
    const { log, slots, context } = this.settings;
    if (this.#closed) throw new EngineLoadError('engine_unreachable', 'The engine is unloaded.');
    await this.#profile.probe(signal);
    if (this.#profile.facts.listed === false) log.warn({ model }, 'upstream.model_not_listed');
    await this.#profile.probeFurther(signal);
    const { facts, talent, counter } = this.#profile;
    await this.#adapter.load({ ...facts, client: this.#aside, base: model, context: facts.context ?? context, log }, signal);
    // A stream never continues on another adapter.
    const served = [url, model, this.#adapter.sha256 ?? []].flat().join('\n');
    const print = createHash('sha256').update(served).digest('hex').slice(0, 16);
    const counting = counter.strategy;
    const { dimensions } = this.#profile;
    log.info({ model, flavour: facts.flavour, context: facts.context, counting, dimensions }, 'upstream.ready');
    onProgress(1);
    const isDeclared = dimensions !== null && this.upstream.matryoshka === true;
    const caps = [
      ...(dimensions === null ? [] : ['embed']),
      ...talent.caps,
      ...(counting === 'estimate' ? [] : ['exact_count']),
      ...(dimensions === null ? [] : [dimensionsWord(dimensions)]),
      ...(isDeclared ? ['matryoshka'] : []),
    ];
    return { fingerprint: `http-${print}`, context: facts.context ?? context, slots, caps };
  }

  get takesUnread(): boolean {
    return this.settings.readers !== undefined;
  }

  current(): EngineLoad {
    return { running: this.#queue.running, queued: this.#queue.queued };
  }

  async check(signal: AbortSignal): Promise<void> {
    if (this.#closed) throw new EngineLoadError('engine_unreachable', 'The engine is unloaded.');
    await this.#check.ask(signal);
    await this.#adapter.assertServed();
  }

  async generate(request: CanonicalRequest | UnreadRequest, output: EngineOutput, signal: AbortSignal): Promise<Usage> {
    if (this.#closed) throw shutDown();
    if (this.#profile.dimensions !== null) throw makesEmbeddings();
    if (!isUnread(request)) assertSupported(request, this.#profile.talent);
    return this.#inSlot(output, signal, (controller) => this.#answer(request, output, controller));
  }

  async embed(request: CanonicalRequest | UnreadRequest, output: EngineOutput, signal: AbortSignal): Promise<Usage> {
    if (this.#closed) throw shutDown();
    const { facts, dimensions } = this.#profile;
    if (dimensions === null) throw new ServiceError('invalid_request', 'The model of this deployment makes no embeddings.');
    const { credential, readers, log } = this.settings;
    const { model } = this.upstream;
    const options = { client: this.#client, model, facts, dimensions, credential, readers, log };
    return this.#inSlot(output, signal, (controller) => embedTexts(request, output, { ...options, signal: controller.signal }));
  }

  async count(request: CanonicalRequest | UnreadRequest, signal: AbortSignal, account: AccountId | null = null): Promise<TokenCount> {
    if (this.#closed) throw shutDown();
    let limited: AbortSignal | undefined;
    try {
      return await withinTime(signal, this.#limits.countMs, async (within) => {
        limited = within;
        const prepared = await this.#countOf(request, within, account);
        const sent = (): Iterable<string> => this.#sent(request, prepared.body === null ? [] : [prepared.body]);
        return this.#profile.counter.count({ prepared, sent, pace: SHARES.paceOf(account), signal: within });
      });
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ServiceError) throw error;
      if (limited?.aborted) throw new ServiceError('timeout', 'The engine did not count in time.', { cause: error });
      throw new ServiceError('engine_error', 'The engine cannot be reached.', { cause: error });
    }
  }

  async unload(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#queue.close(shutDown());
    for (const controller of this.#running) controller.abort(shutDown());
    await this.#adapter.unload();
    await Promise.all([this.#client.close(), this.#aside.close(), this.#images.close(), this.#check.close()]);
  }

  async #inSlot(output: EngineOutput, signal: AbortSignal, work: (controller: AbortController) => Promise<Usage>): Promise<Usage> {
    output.phase('queue');
    const controller = new LightAbort();
    const onAbort = (): void => controller.abort();
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) controller.abort();
    this.#running.add(controller);
    try {
      if (!(await this.#queue.enter(controller.signal))) return NOTHING_DONE;
      return await work(controller).finally(() => this.#queue.leave());
    } finally {
      signal.removeEventListener('abort', onAbort);
      this.#running.delete(controller);
    }
  }

  async #answer(request: CanonicalRequest | UnreadRequest, output: EngineOutput, controller: AbortController): Promise<Usage> {
    const hold = IMAGES.open(output.account);
    try {
      return await this.#adapter.answer(() => this.#try(request, { output, hold, controller }), NOTHING_DONE, controller.signal);
    } finally {
      hold.release();
    }
  }

  #try(request: CanonicalRequest | UnreadRequest, { output, hold, controller }: Asked): AnswerTry<Usage> {
    let generation: HttpGeneration | undefined;
    const run = async (): Promise<Usage> => {
      const ready = await this.#ready(request, { output, hold, controller });
      if (ready === null) return NOTHING_DONE;
      output.phase('prefill');
      generation = this.#generation(ready, output, controller);
      return generation.run();
    };
    return { run, hasBegun: () => generation?.started === true };
  }

  /** @returns null when the caller left meanwhile. */
  async #ready(request: CanonicalRequest | UnreadRequest, { output, hold, controller: { signal } }: Asked): Promise<ReadyRequest | null> {
    try {
      const prepared = await this.#prepared(request, output, signal);
      const taken = (bytes: number): void => hold.take(bytes);
      const pieces =
        prepared.images.length === 0
          ? prepared.pieces
          : await withImages(prepared, (address) => this.#images.fetch(address, signal, taken));
      // Bound, since a closure would hold the pieces of a parsed request for as long as its answer takes.
      return { prepared, pieces, sent: this.#sent.bind(this, request, isUnread(request) ? prepared.pieces : []) };
    } catch (error) {
      if (!signal.aborted) throw error;
      if (signal.reason instanceof ServiceError) throw signal.reason;
      return null;
    }
  }

  async #prepared(request: CanonicalRequest | UnreadRequest, output: EngineOutput, signal: AbortSignal): Promise<PreparedRequest> {
    const { model, fields: adapterFields } = this.#adapter.request(this.upstream.model);
    const options = { model, ...this.#profile.talent, adapterFields };
    if (!isUnread(request)) return prepareRequest(request, options);
    const prepared = await prepareLarge(this.#readers, request, options, { account: output.account, signal });
    output.read?.(prepared.facts);
    return prepared;
  }

  #countOf(
    request: CanonicalRequest | UnreadRequest,
    signal: AbortSignal,
    account: AccountId | null,
  ): PreparedCount | Promise<PreparedCount> {
    const { context } = this.#profile.facts;
    const maxBytes = context === null ? null : BYTES_PER_TOKEN * context;
    const options = { model: this.upstream.model, ...this.#profile.talent, strategy: this.#profile.counter.strategy, maxBytes };
    if (!isUnread(request)) return prepareCount(request, options);
    return prepareApart(this.#readers, { kind: 'count' as const, start: request, options }, { account, signal });
  }

  /** What may be quoted in a refusal and must not be repeated. */
  *#sent(request: CanonicalRequest | UnreadRequest, pieces: readonly BodyPiece[]): Generator<string> {
    yield this.settings.credential ?? '';
    if (isUnread(request)) yield* textsIn(pieces, COMPARED_CHARS);
    else yield* textsOf(request);
  }

  get #readers(): Pick<ThreadPool, 'run'> {
    const { readers } = this.settings;
    if (!readers) throw new Error('An unread request came to an engine that takes none.');
    return readers;
  }

  #generation({ prepared, pieces, sent }: ReadyRequest, output: EngineOutput, controller: AbortController): HttpGeneration {
    const traits = FLAVOURS[this.#profile.facts.flavour];
    const maxTokens = this.#limitOf(prepared.facts.maxTokens);
    const options = {
      room: LARGE_EVENTS.of(output.account),
      pace: SHARES.paceOf(output.account),
      client: this.#client,
      trace: output.trace,
      relay: new AnswerRelay({
        output,
        choices: prepared.facts.choices,
        estimatedPrompt: estimateTokens(prepared.facts),
        ...prepared.wishes,
        tellsStop: traits.tellsStop,
        countsApart: traits.countsApart,
        echo: traits.echoes ? prepared.beginning : '',
      }),
      endMs: this.#limits.endMs,
      log: this.settings.log,
      answersAs: this.#adapter.request(this.upstream.model).answersAs,
      sent,
      controller,
    };
    return new HttpGeneration(options, (room) => bodyOf(pieces, room ?? maxTokens));
  }

  #limitOf(asked: number | null | undefined): number | null {
    const { context } = this.#profile.facts;
    const wanted = asked === undefined ? this.settings.defaultMaxTokens : asked;
    // Limits beyond the whole context are refused by some servers, and mean nothing.
    return wanted !== null && context !== null ? Math.min(wanted, context) : wanted;
  }
}
