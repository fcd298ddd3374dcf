import { accessSync, constants } from 'node:fs';
import { isAbsolute } from 'node:path';
import { DEFAULT_POOL, WorkerPool } from '@slipway/contracts';
import { blobDoorFragment, commaList, hostList, natsFragment, serviceFragment, tracingFragment } from '@slipway/platform';
import { z } from 'zod';

const bytes = z.coerce.number().int().positive();
const milliseconds = z.coerce.number().int().min(0);

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return isAbsolute(path);
  } catch {
    return false;
  }
}

/** Environment of an inference worker's agent. */
export const WorkerConfig = z.object({
  ...serviceFragment,
  ...natsFragment,
  ...tracingFragment,
  ...blobDoorFragment,
  /** Failure domain that gateways prefer when it is their own. */
  ZONE: z.string().min(1).max(64).optional(),
  /** Workers that are scaled together: metrics of deployments-service count them by this name. */
  POOL: WorkerPool.default(DEFAULT_POOL),
  /** Folder for downloaded models; agents of one host may share it. */
  MODEL_CACHE_DIR: z.string().min(1).default('.slipway/models'),
  /**
   * Upper bound of the downloaded models' folder, in bytes: models that are used least lately make room for new ones;
   * absent = what the disk has.
   */
  MODEL_CACHE_BYTES: bytes.optional(),
  /** Time without a byte after which a download is given up, to be continued later, in milliseconds. */
  DOWNLOAD_STALL_MS: milliseconds.min(1_000).default(60_000),
  /** Folders from which model files may be loaded, separated by commas; none = no model files. */
  MODEL_DIRS: commaList,
  /**
   * Hosts from which models may be downloaded: `host`, `host:port` or `*.domain`, separated by commas; none = no downloads.
   * Redirects count too: `hf:` URIs need `huggingface.co,*.huggingface.co,*.hf.co`.
   */
  MODEL_HOSTS: hostList,
  /** Hosts on which HTTP engines may be called, written like `MODEL_HOSTS`; none = no HTTP engines. */
  ENGINE_HOSTS: hostList,
  /** Hosts from which images in requests are fetched over https for HTTP engines, written like `MODEL_HOSTS`; none = no fetching. */
  IMAGE_HOSTS: hostList,
  /** Upper bound of what models may take in this worker, in bytes; absent = what the machine has. */
  WORKER_MEM_BYTES: bytes.optional(),
  /**
   * Memory that one runner process may take besides the mapped model file, in bytes; beyond it is ended. Absent =
   * `WORKER_MEM_BYTES`, or 80 % of the machine's or container's memory.
   */
  RUNNER_MEM_BYTES: bytes.optional(),
  /**
   * User (and group) that runners become before they read a model, where the worker runs as root; 0 = they stay root.
   * Absent = 65533, which no other process has, and 0 with a GPU. A model that this user cannot read is read as its owner. One that
   * only root can read is read as root where this is absent, and not at all where it is set.
   */
  RUNNER_UID: z.coerce
    .number()
    .int()
    .min(0)
    .max(2 ** 31)
    .optional(),
  /** `auto` offloads to a GPU where llama.cpp finds one. */
  GPU: z.enum(['off', 'auto']).default('off'),
  /** Absolute path of the llama-server that runs models of the engine `llama-server`; absent = this worker does not offer that engine. */
  LLAMA_SERVER: z.string().refine(isExecutable, 'must be the absolute path of a program that this user may run').optional(),
  /** Arguments for every llama-server, separated by spaces. Those of the deployment win over them. */
  LLAMA_SERVER_ARGS: z
    .string()
    .transform((text) => text.split(/\s+/).filter((word) => word !== ''))
    .optional(),
  /**
   * Folder in which adapters are written for HTTP engines, which must see it at the same path; several workers may share it. Absent =
   * this worker hands no adapters to HTTP engines.
   */
  ADAPTER_EXPORT_DIR: z.string().min(1).refine(isAbsolute, 'must be an absolute path').optional(),
  /** Requests that run at once at one HTTP engine; absent = what the deployment says. */
  HTTP_ENGINE_SLOTS: z.coerce.number().int().positive().optional(),
  /** Time that running streams get when their deployment leaves this worker, in milliseconds. */
  UNLOAD_GRACE_MS: milliseconds.default(60_000),
  /** Silence after which a runner process counts as hung and is replaced, in milliseconds. */
  RUNNER_SILENCE_MS: milliseconds.min(1_000).default(20_000),
});
export type WorkerConfig = z.infer<typeof WorkerConfig>;
