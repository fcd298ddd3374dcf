import type { Capability } from '@slipway/contracts';
import { EngineLoadError } from '@slipway/engine';
import { withinTime } from '@slipway/platform';
import { FLAVOURS, type UpstreamTalent } from './flavour.js';
import { probeEmbeddings } from './probe-embeddings.js';
import { greetsAsOllama, probeTalent } from './probe-talent.js';
import { probeUpstream, type UpstreamFacts } from './probe.js';
import type { Pace } from './read-shares.js';
import { TokenCounter } from './token-counter.js';
import type { UpstreamClient } from './upstream-client.js';

export interface UpstreamProfileOptions {
  /** Sends the questions. */
  readonly client: UpstreamClient;
  /** The name that the server knows the model by. */
  readonly model: string;
  /** Time for all questions of one step, in milliseconds. */
  readonly probeMs: number;
  /** Made when it is used, since the share of an idle account is dropped. */
  readonly pace: () => Pace;
}

/** What a server can do with a model, learned from it when the engine loads. */
export class UpstreamProfile {
  #facts: UpstreamFacts = { flavour: 'other', context: null, listed: null, models: null };
  #caps: readonly Capability[] = FLAVOURS.other.caps;
  #counter: TokenCounter;
  #dimensions: number | null = null;

  constructor(private readonly options: UpstreamProfileOptions) {
    this.#counter = new TokenCounter(options.client, 'estimate');
  }

  get facts(): UpstreamFacts {
    return this.#facts;
  }

  get talent(): UpstreamTalent {
    return { flavour: this.#facts.flavour, caps: this.#caps };
  }

  /** Numbers of its embeddings; null where it answers conversations. */
  get dimensions(): number | null {
    return this.#dimensions;
  }

  get counter(): TokenCounter {
    return this.#counter;
  }

  /** Asks whether the server answers and has the model. @throws EngineLoadError; the signal's reason after an abort */
  async probe(signal: AbortSignal): Promise<void> {
    const { client, model, probeMs } = this.options;
    try {
      this.#facts = await withinTime(signal, probeMs, (timed) => probeUpstream(client, model, timed));
    } catch (error) {
      signal.throwIfAborted();
      throw error instanceof EngineLoadError
        ? error
        : new EngineLoadError('engine_unreachable', 'The engine does not answer properly.', { cause: error });
    }
  }

  /** Asks for the capabilities and the way of counting tokens. A server without an answer keeps those of its kind. */
  async probeFurther(signal: AbortSignal): Promise<void> {
    const { client, model, probeMs, pace } = this.options;
    this.#caps = FLAVOURS[this.#facts.flavour].caps;
    try {
      await withinTime(signal, probeMs, async (timed) => {
        if (this.#facts.flavour === 'other' && (await greetsAsOllama(client, timed))) this.#facts = { ...this.#facts, flavour: 'ollama' };
        const { flavour } = this.#facts;
        this.#caps = FLAVOURS[flavour].caps;
        this.#caps = await probeTalent(client, { flavour, model }, timed);
      });
      const { flavour } = this.#facts;
      this.#dimensions = await withinTime(signal, probeMs, (timed) => probeEmbeddings(client, { flavour, model }, timed));
      if (this.#dimensions !== null) this.#caps = ['exact_usage'];
      else
        await withinTime(signal, probeMs, async (timed) => {
          this.#counter = await TokenCounter.probe(client, { model, flavour, caps: this.#caps, pace: pace() }, timed);
        });
    } catch {
      signal.throwIfAborted();
    }
  }
}
