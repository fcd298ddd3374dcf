/** Times and bounds of the stream protocol. All times in milliseconds. */
export interface StreamSettings {
  /** Time limit for a worker to accept or reject a start. */
  readonly acceptMs: number;
  /** Interval of a gateway's acknowledgements to each worker. */
  readonly ackMs: number;
  /**
   * A worker stops a stream that was not acknowledged for this long. A gateway fails its streams when its connection was down
   * for this long. A series of event-loop stalls suspends timeouts for at most this long.
   */
  readonly leaseMs: number;
  /** A gateway probes a worker whose stream sent no frame for this long. */
  readonly silenceMs: number;
  /** Time limit for the answer to a probe, before the stream counts as lost. */
  readonly probeMs: number;
  /** Least interval between two replay requests for one stream. */
  readonly replayMs: number;
  /** Interval at which an unacknowledged end, or a cancel that had no effect, is repeated. */
  readonly repeatMs: number;
  /** Interval of heartbeats: of a stream without output, and of a worker's load. */
  readonly heartbeatMs: number;
  /** Least interval between two load reports of a worker. */
  readonly loadReportMs: number;
  /** "No responders" for a gateway must persist for this long before a worker stops its streams. */
  readonly interestMs: number;
  /** Least interval between the two "no responders" that make a worker dead. */
  readonly suspicionMs: number;
  /** After a gateway's own reconnect, "no responders" of workers are ignored for this long. */
  readonly settleMs: number;
  /** After an event-loop stall longer than this, timeouts wait until pending input was read; `leaseMs` bounds a series of stalls. */
  readonly stallMs: number;
  /** Time from the opening of a stream to its first event. */
  readonly firstTokenMs: number;
  /** How long a cancel waits for the worker's usage. */
  readonly cancelMs: number;
  /** All parts of a large start must arrive within this. */
  readonly partsMs: number;
  /** Large starts of one gateway that a worker joins at once; also how many a gateway sends at once. */
  readonly assembliesPerGateway: number;
  /** Attempts that a stream may lose before its first event. */
  readonly maxTries: number;
  /** "Busy" answers that a stream takes before it gives up. */
  readonly maxBusy: number;
  /** Granularity of all of the above. */
  readonly tickMs: number;
}

/** The defaults. Gateways and workers of one installation should use the same values. */
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
