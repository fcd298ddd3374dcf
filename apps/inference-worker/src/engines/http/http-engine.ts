import { createHash } from 'node:crypto';
import { type CanonicalRequest, ServiceError, type Usage } from '@slipway/contracts';
import { AdmissionQueue } from '../admission-queue.js';
import {
  type Engine,
  type EngineFacts,
  type EngineLoad,
  EngineLoadError,
  type EngineOutput,
  type EngineSettings,
  type TokenCount,
} from '../engine.js';
import { AnswerRelay } from './answer-relay.js';
import { HttpGeneration, type UpstreamLimits } from './http-generation.js';
import { type UpstreamFacts, probeUpstream } from './probe.js';
import { estimatePromptTokens, requestBody } from './request-body.js';
import { UpstreamClient } from './upstream-client.js';

/** The server behind an engine and the name that it knows the model by. */
export interface Upstream {
  /** Base of the chat-completions contract, with or without `/v1`. */
  readonly url: string;
  readonly model: string;
}

export interface HttpEngineLimits extends UpstreamLimits {
  readonly connectMs: number;
  readonly probeMs: number;
}

const LIMITS: HttpEngineLimits = { firstTokenMs: 600_000, silenceMs: 120_000, endMs: 5_000, connectMs: 5_000, probeMs: 5_000 };
const CAPS = ['cached_tokens', 'logit_bias', 'min_p', 'repetition_penalty', 'seed', 'top_k'];

const shutDown = (): ServiceError => new ServiceError('server_shutting_down', 'The model is being unloaded.', { retryAfterS: 1 });

/** A model behind any server of the chat-completions contract. */
export class HttpEngine implements Engine {
  readonly kind = 'http';
  readonly #queue: AdmissionQueue;
  readonly #client: UpstreamClient;
  readonly #limits: HttpEngineLimits;
  readonly #running = new Set<AbortController>();
  #facts: UpstreamFacts = { flavour: 'other', context: null, listed: null };
  #closed = false;

  /** @param limits waiting times that differ from the usual ones. */
  constructor(
    private readonly upstream: Upstream,
    private readonly settings: EngineSettings,
    limits: Partial<HttpEngineLimits> = {},
  ) {
    this.#limits = { ...LIMITS, ...limits };
    this.#queue = new AdmissionQueue(settings.slots, settings.queue);
    this.#client = new UpstreamClient({
      url: upstream.url,
      credential: settings.credential,
      // One more than requests, so that a probe never waits behind them.
      connections: settings.slots + 1,
      connectTimeoutMs: this.#limits.connectMs,
    });
  }

  async load(onProgress: (progress: number) => void, signal: AbortSignal): Promise<EngineFacts> {
    const { url, model } = this.upstream;
    const { log, slots, context } = this.settings;
    this.#facts = await this.#probe(signal);
    const { flavour, listed } = this.#facts;
    if (listed === false) log.warn({ model }, 'upstream.model_not_listed');
    const print = createHash('sha256').update(`${url}\n${model}`).digest('hex').slice(0, 16);
    log.info({ model, flavour, context: this.#facts.context }, 'upstream.ready');
    onProgress(1);
    return { fingerprint: `http-${print}`, context: this.#facts.context ?? context, slots, caps: CAPS };
  }

  current(): EngineLoad {
    return { running: this.#queue.running, queued: this.#queue.queued };
  }

  async check(signal: AbortSignal): Promise<void> {
    await this.#probe(signal);
  }

  async generate(request: CanonicalRequest, output: EngineOutput, signal: AbortSignal): Promise<Usage> {
    output.phase('queue');
    if (!(await this.#queue.enter(signal))) return { prompt: 0, cached: 0, completion: 0 };
    const controller = new AbortController();
    const onAbort = (): void => controller.abort();
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) controller.abort();
    this.#running.add(controller);
    try {
      output.phase('prefill');
      return await this.#generation(request, output, controller).run();
    } finally {
      signal.removeEventListener('abort', onAbort);
      this.#running.delete(controller);
      this.#queue.leave();
    }
  }

  count(): Promise<TokenCount> {
    return Promise.reject(new ServiceError('unsupported_value', 'This engine cannot count tokens.'));
  }

  async unload(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#queue.close(shutDown());
    for (const controller of this.#running) controller.abort(shutDown());
    await this.#client.close();
  }

  #generation(request: CanonicalRequest, output: EngineOutput, controller: AbortController): HttpGeneration {
    const { flavour, context } = this.#facts;
    const { defaultMaxTokens, log } = this.settings;
    const wanted = request.max_tokens ?? defaultMaxTokens;
    // Limits beyond the whole context are refused by some servers, and mean nothing.
    const limit = wanted !== null && context !== null ? Math.min(wanted, context) : wanted;
    return new HttpGeneration({
      client: this.#client,
      relay: new AnswerRelay(output, request.stop, estimatePromptTokens(request)),
      limits: this.#limits,
      log,
      body: (maxTokens = limit ?? undefined) => requestBody(request, { model: this.upstream.model, flavour, maxTokens: maxTokens ?? null }),
      controller,
    });
  }

  async #probe(signal: AbortSignal): Promise<UpstreamFacts> {
    if (this.#closed) throw new EngineLoadError('engine_unreachable', 'The engine is unloaded.');
    const timed = AbortSignal.any([signal, AbortSignal.timeout(this.#limits.probeMs)]);
    try {
      return await probeUpstream(this.#client, this.upstream.model, timed);
    } catch (error) {
      signal.throwIfAborted();
      throw error instanceof EngineLoadError
        ? error
        : new EngineLoadError('engine_unreachable', 'The engine does not answer properly.', { cause: error });
    }
  }
}
