import type { Options } from '../../../scripts/lib/options.mjs';
import type { Progress } from '../../../scripts/lib/progress.mjs';
import type { DataDir } from './data-dir.js';
import type { StateFile } from './launcher-state.js';
import type { Secrets } from './secrets.js';
import type { ProcessSpec } from './supervised-process.js';

/** Result of the first stage (scripts/lib/first-stage.mjs), which runs before anything is built. */
export interface FirstStage {
  /** Folder of the repository. */
  readonly root: string;
  readonly options: Options;
  readonly environment: NodeJS.ProcessEnv;
  readonly progress: Progress;
  /** Address of the first gateway from this machine. */
  readonly localUrl: string;
}

/** The processes that the launcher's main thread starts and supervises. */
export interface Processes {
  start(spec: ProcessSpec): void;
  /** Those that have been started, in this order. */
  running(): { name: string; pid: number }[];
}

/** What all steps of a start use. */
export interface LaunchContext {
  readonly stage: FirstStage;
  readonly env: string;
  readonly dataDir: DataDir;
  readonly secrets: Secrets;
  readonly state: StateFile;
  readonly processes: Processes;
  /** Aborted when the start fails or is stopped. */
  readonly signal: AbortSignal;
}

/** Order of the stop: highest tier first. */
export const TIERS = { database: 0, messaging: 1, services: 2, workers: 3, gateways: 4 } as const;

/**
 * The variables that every child process inherits: locations of programs, temporary files and certificates. Secrets of the user's
 * shell are not passed on.
 */
export function plainEnvironment({ stage }: Pick<LaunchContext, 'stage'>): Record<string, string> {
  const names = ['PATH', 'HOME', 'TMPDIR', 'TZ', 'LANG', 'LC_ALL', 'NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR'];
  return pick(stage.environment, names);
}

const OF_DEVICES = /^(LD_LIBRARY_PATH|(CUDA|NVIDIA|GGML|LLAMA|HIP|ROCR|HSA|VK|NODE_LLAMA_CPP)_.+)$/;
const OF_SECRETS = /(KEY|TOKEN|SECRET|PASSWORD)$/;

/**
 * The variables by which runners and trainers find a GPU's libraries and choose devices. Only processes that start those get them:
 * `LD_LIBRARY_PATH` could give PostgreSQL other libraries than its own.
 */
export const deviceEnvironment = ({ stage }: Pick<LaunchContext, 'stage'>): Record<string, string> =>
  pick(
    stage.environment,
    Object.keys(stage.environment).filter((name) => OF_DEVICES.test(name) && !OF_SECRETS.test(name)),
  );

/** The variables of these names that are set. */
export const pick = (environment: NodeJS.ProcessEnv, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.flatMap((name) => (environment[name] ? [[name, environment[name]]] : [])));
