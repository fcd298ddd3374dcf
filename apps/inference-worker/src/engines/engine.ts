import type { CanonicalRequest, StateReason, StreamEvent, Usage } from '@slipway/contracts';

/** What an engine is, once it is loaded. */
export interface EngineFacts {
  /** Fingerprint of model, tokenizer and engine: equal where the same request can be continued. */
  readonly fingerprint: string;
  /** Tokens per sequence; null where the engine does not say. */
  readonly context: number | null;
  /** Requests that run at once. */
  readonly slots: number;
  /** Stable words for what it can do beyond plain text. */
  readonly caps: readonly string[];
}

/** Requests in the engine now. */
export interface EngineLoad {
  readonly running: number;
  readonly queued: number;
}

/** Where an engine puts its output. */
export interface EngineOutput {
  phase(phase: 'queue' | 'prefill' | 'decode'): void;
  /** Events of one step, in order. */
  events(events: readonly StreamEvent[]): void;
}

/** One model that generates, embedded or behind HTTP. */
export interface Engine {
  readonly kind: 'llama' | 'http';
  /**
   * Makes the model ready to answer, warm-up included.
   * @param onProgress called with 0 to 1.
   * @throws EngineLoadError with the reason that people see.
   */
  load(onProgress: (progress: number) => void, signal: AbortSignal): Promise<EngineFacts>;
  /** Requests running and waiting now. */
  current(): EngineLoad;
  /**
   * Answers one request. Waits in the engine's own bounded queue when all slots are taken.
   * After `signal` aborts it resolves within 500 ms with what was counted, its slot free again.
   * @throws ServiceError in the vocabulary of `libs/contracts`.
   */
  generate(request: CanonicalRequest, output: EngineOutput, signal: AbortSignal): Promise<Usage>;
  unload(): Promise<void>;
}

/** Why a model could not be made ready. */
export class EngineLoadError extends Error {
  override readonly name = 'EngineLoadError';
  constructor(
    readonly reason: StateReason,
    /** One sentence for the owner of the deployment, without secrets. */
    publicMessage: string,
    options?: ErrorOptions,
  ) {
    super(publicMessage, options);
  }
}
