import { blobDoorFragment, commaList, natsFragment, serviceFragment } from '@slipway/platform';
import { z } from 'zod';

/** Environment of a training worker. */
export const TrainingWorkerConfig = z.object({
  ...serviceFragment,
  ...natsFragment,
  ...blobDoorFragment,
  /** Folders with model files that adapters may be trained for, separated by commas; none = nothing can be trained here. */
  MODEL_DIRS: commaList,
  /** Folder of jobs: a few hundred MB for each running one. */
  TRAINING_DIR: z.string().min(1).default('.slipway/training'),
  /** Folder into which trainers are installed. */
  TRAINERS_DIR: z.string().min(1).default('.slipway/trainers'),
  /** Manifests of further trainers, separated by commas. */
  TRAINERS: commaList,
  /** Threads of a training and of its scoring. More than the cores that are free make it slower. */
  TRAINING_THREADS: z.coerce.number().int().min(1).max(64).default(1),
  /** Memory that trainings may take, in bytes; absent = half of the machine's or container's. */
  TRAINING_MEM_BYTES: z.coerce.number().int().positive().optional(),
  /** A Python that has torch and its packages; absent = `npx slipway trainers install torch` makes one. */
  TORCH_PYTHON: z.string().min(1).optional(),
  /** Address of a Ray cluster, of which this machine is a node, on which the torch trainer trains; absent = on this machine alone. */
  RAY_ADDRESS: z.string().min(1).max(253).optional(),
  /** Processes of one training on that cluster. */
  RAY_WORKERS: z.coerce.number().int().min(1).max(256).default(2),
  /** User that trainers run as where the worker is root: one that owns nothing else. 0 = as the worker. */
  TRAINER_UID: z.coerce.number().int().min(0).max(2_147_483_647).default(61_750),
});
export type TrainingWorkerConfig = z.infer<typeof TrainingWorkerConfig>;
