import type { AccountId, CanonicalRequest, ServedAdapter, StateReason, StreamEvent, Usage } from '@slipway/contracts';
import type { Logger, ThreadPool, TraceHeaders } from '@slipway/platform';
import type { RequestFacts } from './prompt-text.js';

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

/** Tokens of a rendered prompt. `exact` = counted by the model's own tokenizer and template. */
export interface TokenCount {
  readonly tokens: number;
  readonly exact: boolean;
}

/** Where an engine puts its output. */
export interface EngineOutput {
  /** The account that is answered; null = none. An engine divides what requests share by account. */
  readonly account: AccountId | null;
  /** What a server that answers for the engine is sent of the request's trace; absent = none. */
  readonly trace?: TraceHeaders | undefined;
  phase(phase: 'queue' | 'prefill' | 'decode'): void;
  /** Reports what the `start` event will name as relaxed, before the prompt is evaluated. */
  readonly relaxed?: (places: readonly string[]) => void;
  /** What a request asks that came unread, once that is known. */
  readonly read?: (facts: RequestFacts) => void;
  /**
   * Events of one step, in order: `start`, then what the answer is made of, then one `fin` for each choice, after which
   * nothing of that choice follows. The `n` of all of them add up to the completion tokens of a finished answer. No text
   * holds a half character.
   */
  events(events: readonly StreamEvent[]): void;
}

/** A program of the operator that computes for an engine. */
export interface EngineProgram {
  /** Absolute path. */
  readonly path: string;
  /** The operator's own arguments; those that an engine adds win over them. */
  readonly args: readonly string[];
}

/** An adapter that an engine loads on its model. */
export interface EngineAdapter {
  /** Its file, whose SHA-256 is that of `facts`. */
  readonly path: string;
  readonly facts: ServedAdapter;
  /** Called once the model is loaded. Rejects unless its file is still the one whose SHA-256 was compared with `facts`. */
  readonly assertBase: () => Promise<void>;
}

/** An adapter that a server loads by itself, from a folder that it reads too. */
export interface ExportedAdapter {
  /** Folder with the PEFT form, at the same path for the server. */
  readonly folder: string;
  readonly facts: ServedAdapter;
  /** Ends this use of the folder. @returns whether no other worker has the same server use it. Repeating it is harmless. */
  readonly release: () => Promise<boolean>;
}

/** How an engine is to be run. */
export interface EngineSettings {
  /** Tokens per sequence; null = the engine's own choice. */
  readonly context: number | null;
  /** Requests that run at once. */
  readonly slots: number;
  /** Requests that may wait for a slot; one more is refused as `overloaded`. */
  readonly queue: number;
  /** Threads of an embedded engine. On shared cores 1 is fastest for small models. */
  readonly threads: number;
  /** Lets an embedded engine use a GPU, where its binaries are installed. Default false. */
  readonly gpu?: boolean | undefined;
  /** Tokens of an answer whose request names no limit; null = the room left in the context. */
  readonly defaultMaxTokens: number | null;
  /** Bearer credential of an HTTP engine. */
  readonly credential?: string | undefined;
  /** Hosts from which images are fetched for an HTTP engine, as the operator wrote them; none unless set. */
  readonly imageHosts?: readonly string[] | undefined;
  /** The adapter to load, for llama.cpp. Absent = the model as it is. */
  readonly adapter?: EngineAdapter | undefined;
  /** The adapter that an HTTP engine loads. Absent = the model as it is. */
  readonly exported?: ExportedAdapter | undefined;
  /** The operator's program that an engine runs beside its runner, for kinds that need one. */
  readonly program?: EngineProgram | undefined;
  /** Threads in which an HTTP engine reads large requests; without them they come read. */
  readonly readers?: Pick<ThreadPool, 'run'> | undefined;
  readonly log: Logger;
}

/** A large request that is not parsed: the JSON in UTF-8 of its start. */
export type UnreadRequest = Uint8Array;

/** One model that generates, embedded or behind HTTP. */
export interface Engine {
  /** Whether it reads large requests itself, away from the event loop. One that does not gets none unread. */
  readonly takesUnread?: boolean;
  /** Resolves if the engine ends by itself after it was loaded and can answer no more. Absent where that cannot be noticed. */
  readonly lost?: Promise<EngineLoadError>;
  /**
   * Makes the model ready to answer, warm-up included. After `signal` aborts it rejects with the signal's reason.
   * @param onProgress called with 0 to 1, never falling.
   * @throws EngineLoadError with the reason that people see.
   */
  load(onProgress: (progress: number) => void, signal: AbortSignal): Promise<EngineFacts>;
  /** Requests running and waiting now. */
  current(): EngineLoad;
  /**
   * Whether the engine can still answer; cheap enough to ask every few seconds.
   * @throws EngineLoadError with the reason that people see.
   */
  check(signal: AbortSignal): Promise<void>;
  /**
   * Answers one request. Waits in the engine's own bounded queue when all slots are taken.
   * After `signal` aborts it resolves within 500 ms with what was counted, its slot free again. How long an answer may take, or
   * be silent, is not for the engine to judge: the gateway's settings say so, and abort `signal`.
   * @throws ServiceError in the vocabulary of `libs/contracts`.
   */
  generate(request: CanonicalRequest | UnreadRequest, output: EngineOutput, signal: AbortSignal): Promise<Usage>;
  /**
   * Makes an embedding of the text of each message, as one `vec` event each, in any order; only engines with the capability
   * `embed` have it, and their `generate` refuses. Otherwise as `generate`. A text above the context is refused as
   * `context_length_exceeded` with the parameter `input[i]`, and is never cut.
   * @throws ServiceError in the vocabulary of `libs/contracts`.
   */
  embed?(request: CanonicalRequest | UnreadRequest, output: EngineOutput, signal: AbortSignal): Promise<Usage>;
  /**
   * Counts the prompt tokens that `generate` would report for this request. Takes no slot and waits for none.
   * After `signal` aborts it rejects with the signal's reason.
   * @param account the account that asks; null = none. An engine divides what requests share by account.
   * @throws ServiceError in the vocabulary of `libs/contracts`.
   */
  count(request: CanonicalRequest | UnreadRequest, signal: AbortSignal, account: AccountId | null): Promise<TokenCount>;
  /** Ends what runs with `server_shutting_down`, then frees everything. Repeating it is harmless. */
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
