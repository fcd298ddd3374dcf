import type { TrainerBase, TrainerHeartbeat } from '@slipway/contracts';

/** No job starts on a worker with less, in bytes. */
const LEAST = 2 ** 30;
/** Nor with less than this share of the disk. */
const LEAST_SHARE = 0.05;
/** The data set as it came, rendered, and divided for the trainer. */
const COPIES_OF_DATA = 4;
/** Checkpoints with their optimizers, in multiples of the base: at most, since adapters of large bases are small. */
const CHECKPOINTS_PER_BASE = 0.5;
/** A worker must have twice of what a job takes. */
const MARGIN = 2;

/** What a job takes of a worker's disk. */
interface Need {
  readonly data_bytes: number | null;
  readonly base_facts: Pick<TrainerBase, 'bytes'>;
}

/** Free disk, in bytes, that a worker must have for a job. */
export function diskNeeded({ data_bytes: data, base_facts: base }: Need, total: number | undefined): number {
  const job = COPIES_OF_DATA * (data ?? 0) + CHECKPOINTS_PER_BASE * base.bytes;
  return Math.ceil(Math.max(LEAST, MARGIN * job, LEAST_SHARE * (total ?? 0)));
}

/** Whether a worker has the disk for a job. */
export const hasDisk = (job: Need, { disk_free: free, disk_total: total }: Pick<TrainerHeartbeat, 'disk_free' | 'disk_total'>): boolean =>
  free >= diskNeeded(job, total);
