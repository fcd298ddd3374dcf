import type { WorkStream } from '../work-stream.js';
import { UsageOrphaned, UsageRecorded } from './usage-record.js';

const MIB = 1024 * 1024;

/** Usage on its way into the ledger of keys-service. */
export const UsageStream: WorkStream = {
  name: 'usage',
  events: [UsageRecorded, UsageOrphaned],
  worker: 'keys',
  bytesMax: 512 * MIB,
  ackWaitMs: 30_000,
};

/** Every stream that an environment needs. */
export const WORK_STREAMS: readonly WorkStream[] = [UsageStream];
