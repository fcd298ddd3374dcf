import { ServiceError } from '@slipway/contracts';
import { EngineLoadError, type ExportedAdapter } from '@slipway/engine';
import type { UpstreamFacts } from '../probe.js';
import type { AdapterRequest } from './adapter-server.js';
import { UpstreamAdapter, type UpstreamAdapterOptions } from './upstream-adapter.js';

/** One attempt at an answer. */
export interface AnswerTry<T> {
  /** @throws ServiceError */
  readonly run: () => Promise<T>;
  /** Whether any of the answer was handed on, after which it is not asked for again. */
  readonly hasBegun: () => boolean;
}

/** What a loaded server is, beside its adapter. `listed`: whether it says that it has the base. */
export type LoadedServer = Omit<UpstreamAdapterOptions, 'adapter'> & Pick<UpstreamFacts, 'listed'>;

/** Lets requests through to a server while it serves the adapter of the deployment. Without an adapter it lets all through. */
export class AdapterGate {
  /** Resolves when the server no longer answers as the adapter. */
  readonly lost: Promise<EngineLoadError>;
  #reportLost: (error: EngineLoadError) => void = () => undefined;
  #loaded: UpstreamAdapter | null = null;

  constructor(private readonly adapter: ExportedAdapter | undefined) {
    this.lost = new Promise((resolve) => (this.#reportLost = resolve));
  }

  /** Its hash; null without one. */
  get sha256(): string | null {
    return this.adapter?.facts.sha256 ?? null;
  }

  /** Has the server load the adapter, and prove it. @throws EngineLoadError; the signal's reason after an abort */
  async load(server: LoadedServer, signal: AbortSignal): Promise<void> {
    if (!this.adapter) return;
    if (server.listed !== true)
      throw new EngineLoadError('engine_refused', 'No adapter can be loaded here: the engine does not list this model.');
    this.#loaded = new UpstreamAdapter({ ...server, adapter: this.adapter });
    await this.#loaded.load(signal);
  }

  /** How a request for the model is worded. */
  request(base: string): AdapterRequest {
    return this.#loaded?.request() ?? { model: base, fields: {}, answersAs: null };
  }

  /** The server may have been restarted: it is asked for its list before the next request. */
  readonly outdate = (): void => this.#loaded?.outdate();

  /** @throws EngineLoadError unless the server shows that it serves the adapter */
  async assertServed(): Promise<void> {
    try {
      await this.#loaded?.assertServed();
    } catch (error) {
      // What is not about its connection will not pass by itself: the replica must not stay ready.
      if (error instanceof EngineLoadError && error.reason !== 'engine_unreachable') this.#reportLost(error);
      throw error;
    }
  }

  /**
   * Asks for an answer, once more where the server forgot the adapter and has said nothing else.
   * @param attempt made anew for each try: what names an adapter may change
   * @param none what an answer is that was given up before it was asked for
   * @throws ServiceError of the attempt, or `engine_error`, with which another replica is tried
   */
  async answer<T>(attempt: () => AnswerTry<T>, none: T, signal: AbortSignal): Promise<T> {
    if (!this.#loaded) return attempt().run();
    for (let tries = 1; ; tries += 1) {
      if (!(await this.#admits(signal))) return none;
      const { run, hasBegun } = attempt();
      try {
        return await run();
      } catch (error) {
        if (!(error instanceof ServiceError) || error.code !== 'engine_error') throw error;
        // A fault may be a restart, after which another process answers.
        this.#loaded.doubt();
        if (tries === 2 || hasBegun() || signal.aborted) throw error;
      }
    }
  }

  async unload(): Promise<void> {
    await this.#loaded?.unload();
  }

  /** Whether a request may be sent that the bare base would answer, too. False = it was given up while the adapter was loaded again. */
  async #admits(signal: AbortSignal): Promise<boolean> {
    const given = new Promise<false>((resolve) => signal.addEventListener('abort', () => resolve(false), { once: true }));
    try {
      const isServed = signal.aborted ? false : await Promise.race([this.assertServed().then(() => true), given]);
      if (isServed && !signal.aborted) return true;
    } catch (cause) {
      throw new ServiceError('engine_error', 'The engine does not serve the adapter of this deployment at the moment.', { cause });
    }
    if (signal.reason instanceof ServiceError) throw signal.reason;
    return false;
  }
}
