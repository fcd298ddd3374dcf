import { setTimeout as pause } from 'node:timers/promises';
import { diskFull, isDiskFull } from '../training-fault.js';
import type { TrainingSink } from './training-job.js';

const PAUSE_MS = 5_000;
/** How long the end of a job waits for room, in milliseconds. */
const WAIT_MS = 3_600_000;

interface RoomOptions {
  readonly sink: TrainingSink;
  readonly signal: AbortSignal;
  /** Pause before the next attempt, in milliseconds; default 5 s. */
  readonly pauseMs?: number;
}

/**
 * Writes files, and waits an hour for room where the disk is full: hours of training must not be lost for it.
 * @throws TrainingFault `no_disk` when there was none within that time; what `write` throws for another reason
 */
export async function withRoom<T>(write: () => Promise<T>, { sink, signal, pauseMs = PAUSE_MS }: RoomOptions): Promise<T> {
  const since = performance.now();
  let isAnnounced = false;
  for (;;) {
    try {
      return await write();
    } catch (error) {
      if (!isDiskFull(error)) throw error;
      if (performance.now() - since >= WAIT_MS) throw diskFull(error);
      const message = 'The disk of the training worker is full. The job waits an hour for room.';
      if (!isAnnounced) sink.event({ level: 'warn', code: 'disk_low', message, data: {} });
      isAnnounced = true;
      await pause(pauseMs, undefined, { signal });
    }
  }
}
