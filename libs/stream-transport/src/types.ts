import type {
  AccountId,
  CanonicalRequest,
  DeploymentId,
  EndFrame,
  Incarnation,
  KeyId,
  RejectCode,
  ServiceError,
  Start,
  StreamEvent,
  StreamId,
  StreamTimes,
  Usage,
} from '@slipway/contracts';

/** What a gateway asks a worker to generate. */
export interface StreamRequest {
  readonly st: StreamId;
  readonly dep: DeploymentId;
  readonly rev: number;
  readonly api: Start['api'];
  /** As an object, or as its JSON in UTF-8, which was checked where it was made. */
  readonly req: CanonicalRequest | Uint8Array;
  readonly account: AccountId;
  readonly key: KeyId;
  /** Shows who opened the stream for whom; the worker keeps it with what it counts. */
  readonly claim?: string | undefined;
  /** W3C trace context of the HTTP request. */
  readonly traceparent?: string | undefined;
}

/** Receives one stream: events in order, each exactly once, then one `end` or one `error`, then nothing. */
export interface StreamSink {
  /** A worker admitted the attempt; called again when a new attempt is admitted elsewhere. */
  accepted(worker: Incarnation, attempt: number): void;
  /** What the answer will not be forced to keep, as its `start` event says it, told before that. Called again by each sign of life. */
  relaxed?(places: readonly string[]): void;
  events(events: readonly StreamEvent[]): void;
  end(end: EndFrame): void;
  error(error: ServiceError): void;
}

/** Why a worker was not used, as far as the choice of the next one should know. */
export type Refusal =
  | { readonly kind: 'rejected'; readonly code: RejectCode; readonly used: number; readonly slots: number }
  /** The server said that nobody serves the worker's subject. */
  | { readonly kind: 'absent' }
  /** No accept in time, or silent in mid-stream. */
  | { readonly kind: 'silent' };

/** What can end while somebody waits. Asking for the signal makes it: who does not wait does not ask. */
export interface Abortable {
  readonly signal: AbortSignal;
}

/** The routing of one stream: the transport asks it before each attempt and tells it what came of it. */
export interface WorkerChooser {
  /**
   * Resolves with the worker to try next, after waiting for capacity where there is none.
   * @throws ServiceError when no worker can be had; the stream then ends with it.
   */
  choose(excluded: ReadonlySet<Incarnation>, stream: Abortable): Promise<Incarnation>;
  /** The attempt at `worker` is over, for whatever reason; called once for each `choose`. */
  released(worker: Incarnation): void;
  refused(worker: Incarnation, refusal: Refusal): void;
}

/** A stream as its opener holds it. */
export interface OpenStream {
  /**
   * Ends the stream at its worker, in whatever phase it is. The sink hears nothing more. Repeating it is harmless.
   * @returns what the worker had counted, or null when it did not say within 1 s.
   */
  cancel(why: string): Promise<Usage | null>;
}

/** How a generation went, when it did not throw. */
export interface GenerationResult {
  readonly usage: Usage;
  readonly times: StreamTimes;
}

/** Where a generation puts what it produces. */
export interface StreamWriter {
  phase(phase: 'queue' | 'prefill' | 'decode'): void;
  /** Tells at once what the `start` event will name as relaxed. It is no event: the stream can still begin anew elsewhere. */
  relaxed(places: readonly string[]): void;
  /** Publishes events of one engine step together, at once. */
  events(events: readonly StreamEvent[]): void;
}

/** One admitted stream at a worker. */
export interface Generation {
  /**
   * Produces the whole answer. After `signal` aborts it resolves soon with what was counted so far.
   * @throws ServiceError to end the stream with an error; its retry advice tells whether another worker may try.
   */
  run(writer: StreamWriter, signal: AbortSignal): Promise<GenerationResult>;
}

/** On whose behalf a start came. */
export interface StartOrigin {
  readonly gw: Incarnation;
  /** Null where the gateway did not say. */
  readonly account: AccountId | null;
  readonly key: KeyId | null;
  readonly claim: string | null;
}

/** A large start of which only what stands before the request was read. */
export interface UnreadStart extends Omit<Start, 'req'> {
  /** All of it, as JSON in UTF-8. */
  readonly body: Uint8Array;
}

/** Decides at once, without waiting, which starts are taken. */
export interface Admission {
  /** Why a start would be refused whatever it asks, as far as the little tells that stands before its request; null = it may be taken. */
  readonly refusal?: (start: Omit<Start, 'req'>) => RejectCode | null;
  readonly admit: (start: Start, origin: StartOrigin) => Generation | RejectCode;
  /** Takes large starts, which the generation reads itself, away from the event loop; without it they are read here. */
  readonly admitUnread?: ((start: UnreadStart, origin: StartOrigin) => Generation | RejectCode) | undefined;
}

/** Load of a worker, as its heartbeats and rejections tell it. */
export interface WorkerLoad {
  readonly state: 'starting' | 'ready' | 'draining';
  readonly slots: number;
  readonly used: number;
  readonly queued: number;
}
