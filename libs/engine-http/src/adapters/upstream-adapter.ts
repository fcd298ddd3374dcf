import type { WitnessCheck } from '@slipway/contracts';
import { EngineLoadError, type ExportedAdapter } from '@slipway/engine';
import { type Logger, withinTime } from '@slipway/platform';
import type { UpstreamFlavour } from '../flavour.js';
import type { UpstreamClient } from '../upstream-client.js';
import type { AdapterPlace, AdapterRequest, AdapterServer } from './adapter-server.js';
import { LlamaServerAdapters } from './llama-server-adapters.js';
import { proveAdapter } from './prove-adapter.js';
import { SglangAdapters } from './sglang-adapters.js';
import { VllmAdapters } from './vllm-adapters.js';

const SERVERS: Readonly<Record<UpstreamFlavour, ((place: AdapterPlace) => AdapterServer) | null>> = {
  vllm: (place) => new VllmAdapters(place),
  sglang: (place) => new SglangAdapters(place),
  'llama-server': (place) => new LlamaServerAdapters(place),
  ollama: null,
  other: null,
};

const NONE: Readonly<Partial<Record<UpstreamFlavour, string>>> = {
  ollama: 'Ollama takes no adapters while it runs: make a model of base and adapter there, or serve the adapter on llama.cpp.',
};
const UNKNOWN = 'This kind of server takes no adapters; vLLM, SGLang and llama-server do.';

/** Time to load an adapter and to score its stored answers. */
const LOAD_MS = 120_000;
const UNLOAD_MS = 5_000;

export interface UpstreamAdapterOptions {
  readonly client: UpstreamClient;
  /** The name that the server knows the base by. */
  readonly base: string;
  readonly flavour: UpstreamFlavour;
  /** Tokens per sequence; null = unknown. */
  readonly context: number | null;
  readonly adapter: ExportedAdapter;
  readonly log: Logger;
}

/**
 * An adapter at a server that may be restarted at any time, and forgets it then. It is loaded and proven before the first
 * request, and again whenever the server does not list it, or something suggests that it is another process than before.
 */
export class UpstreamAdapter {
  readonly #server: AdapterServer;
  #freshUntil = 0;
  /** Signs that the server may be another process than the one that proved the adapter, and how many of them a proof came after. */
  #doubts = 1;
  #cleared = 0;
  #renewing: Promise<void> | null = null;
  readonly #closed = new AbortController();

  /** @throws EngineLoadError for a kind of server that takes no adapters */
  constructor(private readonly options: UpstreamAdapterOptions) {
    const { client, base, flavour, adapter } = options;
    const make = SERVERS[flavour];
    if (make === null) throw new EngineLoadError('engine_refused', NONE[flavour] ?? UNKNOWN);
    this.#server = make({ client, base, name: adapter.facts.sha256, folder: adapter.folder });
  }

  /** Loads it unless the server has it, and proves it by all stored answers. @throws EngineLoadError; the signal's reason after an abort */
  async load(signal: AbortSignal): Promise<void> {
    const doubts = this.#doubts;
    await this.#timed(signal, async (timed) => {
      if (!(await this.#server.find(timed))) await this.#loadAnew(timed);
      await this.#prove(this.options.adapter.facts.witness, timed);
    });
    this.#trust(doubts);
  }

  /** How a request asks for it. */
  request(): AdapterRequest {
    return this.#server.request();
  }

  /**
   * Resolves while the server shows that it serves the adapter: at once where it did so a moment ago and nothing went wrong
   * since. All who ask meanwhile wait for one answer.
   * @throws EngineLoadError
   */
  assertServed(): Promise<void> {
    if (this.#doubts === this.#cleared && performance.now() < this.#freshUntil) return Promise.resolve();
    this.#renewing ??= this.#renew().finally(() => (this.#renewing = null));
    return this.#renewing;
  }

  /** Something went wrong at the server: nothing is sent to it before it has proven the adapter again. */
  doubt(): void {
    this.#doubts += 1;
  }

  /** The server may have been restarted: its list is asked for before the next request. */
  outdate(): void {
    this.#freshUntil = 0;
  }

  /** Has the server forget it, unless another worker has the server use it. */
  async unload(): Promise<void> {
    this.#closed.abort(new EngineLoadError('engine_unreachable', 'The engine is unloaded.'));
    const { adapter, log } = this.options;
    try {
      if (await adapter.release()) await this.#server.unload(AbortSignal.timeout(UNLOAD_MS));
    } catch (err) {
      log.warn({ err, adapter: adapter.facts.id }, 'upstream.adapter_not_unloaded');
    }
  }

  async #renew(): Promise<void> {
    const doubts = this.#doubts;
    await this.#timed(this.#closed.signal, async (timed) => {
      const isListed = await this.#server.find(timed);
      if (isListed && doubts === this.#cleared) return;
      // Whatever comes of this try, the next one must prove it.
      this.#cleared = -1;
      this.options.log.info({ adapter: this.options.adapter.facts.id, listed: isListed }, 'upstream.adapter_renewed');
      if (!isListed) await this.#loadAnew(timed);
      // A list that lost it stands for a new process, which may have another base; else one answer is enough.
      const { witness } = this.options.adapter.facts;
      await this.#prove(isListed ? witness.slice(0, 1) : witness, timed);
    });
    this.#trust(doubts);
  }

  async #loadAnew(signal: AbortSignal): Promise<void> {
    await this.#server.load(signal);
    if (await this.#server.find(signal)) return;
    throw new EngineLoadError('adapter_missing', 'The engine took the adapter, but does not list it.');
  }

  async #prove(witness: readonly WitnessCheck[], signal: AbortSignal): Promise<void> {
    const { adapter, context, log } = this.options;
    const from = performance.now();
    const proof = await proveAdapter({ server: this.#server, witness, context, signal });
    log.info({ adapter: adapter.facts.id, ...proof, ms: performance.now() - from }, 'upstream.adapter_proven');
  }

  #trust(doubts: number): void {
    this.#cleared = doubts;
    this.#freshUntil = performance.now() + this.#server.freshMs;
  }

  async #timed(signal: AbortSignal, work: (timed: AbortSignal) => Promise<void>): Promise<void> {
    try {
      await withinTime(signal, LOAD_MS, work);
    } catch (error) {
      signal.throwIfAborted();
      throw error instanceof EngineLoadError
        ? error
        : new EngineLoadError('engine_unreachable', 'The engine does not answer when it is asked for the adapter.', { cause: error });
    }
  }
}
