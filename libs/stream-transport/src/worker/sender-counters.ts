/** What a worker's side has seen since it started; all values only rise. */
export interface SenderCounters {
  /** Starts admitted. */
  started: number;
  /** Starts refused, for whatever reason. */
  rejected: number;
  /** Starts and control messages that could not be read. */
  malformed: number;
  /** Starts that were already known: answered again, not run again. */
  duplicates: number;
  /** Starts of attempts that were over before they arrived. */
  past: number;
  /** Streams that a gateway cancelled. */
  cancelled: number;
  /** Streams stopped because no acknowledgement named them for the length of the lease. */
  leasesEnded: number;
  /** Gateways that were found gone. */
  gatewaysGone: number;
  /** Streams stopped because their gateway was gone. */
  abandoned: number;
  replays: number;
  /** Times that the own event loop stood still. */
  stalls: number;
}

export const newSenderCounters = (): SenderCounters => ({
  started: 0,
  rejected: 0,
  malformed: 0,
  duplicates: 0,
  past: 0,
  cancelled: 0,
  leasesEnded: 0,
  gatewaysGone: 0,
  abandoned: 0,
  replays: 0,
  stalls: 0,
});
