/** What a gateway's side has seen since it started; all values only rise. */
export interface ReceiverCounters {
  opened: number;
  /** Streams that reached their clean end. */
  completed: number;
  /** Streams that ended with an error. */
  failed: number;
  cancelled: number;
  /** Starts sent. */
  starts: number;
  /** Starts sent again because an attempt was lost or failed before its first event. */
  restarts: number;
  /** Starts that workers refused. */
  rejected: number;
  /** Starts without an answer in time. */
  acceptTimeouts: number;
  /** Frames that came too early: something before them was lost. */
  gaps: number;
  /** Requests to send events again. */
  replays: number;
  /** Frames that held nothing new. */
  duplicates: number;
  /** Frames of attempts that are over. */
  lateFrames: number;
  /** Frames that could not be read. */
  unreadable: number;
  /** Ends whose checksum did not match what was received. */
  corrupt: number;
  /** Workers found dead. */
  lostWorkers: number;
  /** Attempts lost because their worker was dead, silent, or held them no more. */
  lostStreams: number;
  /** Times that the own event loop stood still. */
  stalls: number;
}

export const newReceiverCounters = (): ReceiverCounters => ({
  opened: 0,
  completed: 0,
  failed: 0,
  cancelled: 0,
  starts: 0,
  restarts: 0,
  rejected: 0,
  acceptTimeouts: 0,
  gaps: 0,
  replays: 0,
  duplicates: 0,
  lateFrames: 0,
  unreadable: 0,
  corrupt: 0,
  lostWorkers: 0,
  lostStreams: 0,
  stalls: 0,
});
