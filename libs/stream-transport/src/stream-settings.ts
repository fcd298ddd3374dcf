/** Times and bounds of the stream protocol. All times in milliseconds. */
export interface StreamSettings {
  /** A start that is neither accepted nor rejected within this is given up at its worker. */
  readonly acceptMs: number;
  /** Distance of a gateway's acknowledgements to each worker. */
  readonly ackMs: number;
  /**
   * A worker stops a stream that no acknowledgement has named for this long; a gateway gives up streams when its own
   * connection was away for so long; stalls of the own event loop, one behind the other, put off judging for at most this long.
   */
  readonly leaseMs: number;
  /** A gateway distrusts a worker whose stream sent no frame for this long. */
  readonly silenceMs: number;
  /** Time to answer after the distrust, before the stream counts as lost. */
  readonly probeMs: number;
  /** Least distance between two requests to replay one stream. */
  readonly replayMs: number;
  /** Distance of the repetitions of an unacknowledged end, and of cancels of a stream that goes on. */
  readonly repeatMs: number;
  /** A stream without output sends a sign of life this often; so does a worker with its load. */
  readonly heartbeatMs: number;
  /** Least distance of two load reports of a worker. */
  readonly loadReportMs: number;
  /** "Nobody listens to this gateway" must persist for this long before a worker stops its streams. */
  readonly interestMs: number;
  /** Distance of the two "nobody serves this worker" answers that make it dead. */
  readonly suspicionMs: number;
  /** After a gateway's own reconnect, "nobody serves this worker" means nothing for this long. */
  readonly settleMs: number;
  /** An event loop that stood still for longer than this judges nobody until it has read its input; see `leaseMs` for stalls without end. */
  readonly stallMs: number;
  /** Time from the opening of a stream to its first event. */
  readonly firstTokenMs: number;
  /** How long a cancel waits for what the worker counted. */
  readonly cancelMs: number;
  /** All parts of a large start must arrive within this. */
  readonly partsMs: number;
  /** Large starts of one gateway that a worker puts together at once; also how many a gateway has on their way. */
  readonly assembliesPerGateway: number;
  /** Attempts that a stream may lose before its first event. */
  readonly maxTries: number;
  /** "Busy" answers that a stream takes before it gives up. */
  readonly maxBusy: number;
  /** Granularity of all of the above. */
  readonly tickMs: number;
}

/** What gateways and workers use unless told otherwise; both sides of a deployment should agree on them. */
export const DEFAULT_STREAM_SETTINGS: StreamSettings = Object.freeze({
  acceptMs: 1_000,
  ackMs: 400,
  leaseMs: 10_000,
  silenceMs: 3_000,
  probeMs: 500,
  replayMs: 30,
  repeatMs: 300,
  heartbeatMs: 1_000,
  loadReportMs: 50,
  interestMs: 1_500,
  suspicionMs: 250,
  settleMs: 2_000,
  stallMs: 1_000,
  firstTokenMs: 600_000,
  cancelMs: 1_000,
  partsMs: 5_000,
  assembliesPerGateway: 4,
  maxTries: 4,
  maxBusy: 16,
  tickMs: 50,
});

/** The defaults with some of them replaced. */
export const streamSettings = (settings: Partial<StreamSettings> | undefined): StreamSettings => ({
  ...DEFAULT_STREAM_SETTINGS,
  ...settings,
});
