import type {
  AccountId,
  CanonicalRequest,
  DeploymentId,
  EndFrame,
  Incarnation,
  KeyId,
  PublicApi,
  RejectCode,
  ServiceError,
  Start,
  StreamEvent,
  StreamId,
  StreamTimes,
  Usage,
} from '@slipway/contracts';
import type { TraceContext, TraceHeaders } from '@slipway/platform';

/** What a gateway asks a worker to generate. */
export interface StreamRequest {
  readonly st: StreamId;
  readonly dep: DeploymentId;
  readonly rev: number;
  readonly api: PublicApi | 'count' | 'embed';
  /** The client gets the answer in one piece: texts may wait for one another at the worker, for up to a heartbeat. */
  readonly whole?: boolean | undefined;
  /** As an object, or as its validated JSON in UTF-8, whole or in pieces. */
  readonly req: CanonicalRequest | Uint8Array | readonly Uint8Array[];
  readonly account: AccountId;
  readonly key: KeyId;
  /** A signature of the gateway over account and key; the worker stores it in its usage record. */
  readonly claim?: string | undefined;
  /** W3C trace context of the HTTP request; every attempt carries the same. */
  readonly trace?: TraceHeaders | undefined;
}

/** Receives one stream: events in order, each exactly once, then one `end` or one `error`, then nothing. */
export interface StreamSink {
  /** A worker admitted the attempt; called again when a new attempt is admitted elsewhere. */
  accepted(worker: Incarnation, attempt: number): void;
  /** Parts of the JSON schema that are not enforced, ahead of the `start` event that also names them. Repeated with heartbeats. */
  relaxed?(places: readonly string[]): void;
  events(events: readonly StreamEvent[]): void;
  end(end: EndFrame): void;
  error(error: ServiceError): void;
}

/** Why a worker was not used, for the choice of the next one. */
export type Refusal =
  | { readonly kind: 'rejected'; readonly code: RejectCode; readonly used: number; readonly slots: number }
  /** It admitted the start, and no slot became free in time. */
  | { readonly kind: 'full' }
  /** The worker's subject has no subscriber. */
  | { readonly kind: 'absent' }
  /** No accept in time, or silent during the stream. */
  | { readonly kind: 'silent' };

/** Something that can be aborted. The signal may be created on first access, so read it only to wait. */
export interface Abortable {
  readonly signal: AbortSignal;
}

/** The routing of one stream: asked before each attempt, and informed of its outcome. */
export interface WorkerChooser {
  /**
   * Resolves with the worker to try next, after waiting for capacity if needed.
   * @throws ServiceError when no worker can be had; the stream then ends with it.
   */
  choose(excluded: ReadonlySet<Incarnation>, stream: Abortable): Promise<Incarnation>;
  /** The attempt at `worker` has ended; called once for each `choose`. */
  released(worker: Incarnation): void;
  refused(worker: Incarnation, refusal: Refusal): void;
}

/** An open stream. */
export interface OpenStream {
  /**
   * Cancels the stream in any phase. The sink gets nothing more. May be repeated.
   * @returns the usage that the worker counted, or null when it did not report it within 1 s.
   */
  cancel(why: string): Promise<Usage | null>;
}

/** The result of a generation. */
export interface GenerationResult {
  readonly usage: Usage;
  readonly times: StreamTimes;
}

/** Where a generation writes its output. */
export interface StreamWriter {
  phase(phase: 'queue' | 'prefill' | 'decode'): void;
  /** Reports early which schema parts are not enforced. Not an event: the stream can still restart at another worker. */
  relaxed(places: readonly string[]): void;
  /** Publishes the events of one engine step together. */
  events(events: readonly StreamEvent[]): void;
}

/** One admitted stream at a worker. */
export interface Generation {
  /**
   * Produces the whole answer. After `signal` aborts it resolves soon with the usage so far. `busy` = it waited for a slot in vain,
   * and nothing ran: the gateway places the start anew.
   * @throws ServiceError to end the stream with an error; its retry advice says whether another worker may try.
   */
  run(writer: StreamWriter, signal: AbortSignal): Promise<GenerationResult | 'busy'>;
}

/** What the headers of a start say: its gateway, account, key and time. */
export interface StartOrigin {
  readonly gw: Incarnation;
  /** Null where the gateway sent none. */
  readonly account: AccountId | null;
  readonly key: KeyId | null;
  readonly claim: string | null;
  /** Time left to the first event when the start arrived, in milliseconds; Infinity where the gateway set no limit. */
  readonly deadlineMs: number;
  /** The gateway's span; absent where it sent none, or none that is valid. */
  readonly trace?: TraceContext | undefined;
}

/** A large start of which only the head was parsed. */
export interface UnreadStart extends Omit<Start, 'req'> {
  /** The whole start as JSON in UTF-8. */
  readonly body: Uint8Array;
}

/** Decides synchronously which starts are admitted. */
export interface Admission {
  /** Refuses a start by its head alone; null = it may be admitted. */
  readonly refusal?: (start: Omit<Start, 'req'>) => RejectCode | null;
  readonly admit: (start: Start, origin: StartOrigin) => Generation | RejectCode;
  /** Admits large starts that the generation parses itself, off the event loop; without it they are parsed here. */
  readonly admitUnread?: ((start: UnreadStart, origin: StartOrigin) => Generation | RejectCode) | undefined;
}

/** Load of a worker, as reported in heartbeats and rejections. */
export interface WorkerLoad {
  readonly state: 'starting' | 'ready' | 'draining';
  readonly slots: number;
  readonly used: number;
  readonly queued: number;
}
