import type { Options } from '../../../scripts/lib/options.mjs';
import type { Progress } from '../../../scripts/lib/progress.mjs';
import type { DataDir } from './data-dir.js';
import type { StateFile } from './launcher-state.js';
import type { Secrets } from './secrets.js';
import type { Supervisor } from './supervisor.js';

/** What the first stage (scripts/lib/first-stage.mjs) knows before anything is built. */
export interface FirstStage {
  /** The repository. */
  readonly root: string;
  readonly options: Options;
  readonly environment: NodeJS.ProcessEnv;
  readonly progress: Progress;
  /** Address of the first gateway on this machine. */
  readonly localUrl: string;
}

/** What every step of a start works with. */
export interface LaunchContext {
  readonly stage: FirstStage;
  readonly env: string;
  readonly dataDir: DataDir;
  readonly secrets: Secrets;
  readonly state: StateFile;
  readonly supervisor: Supervisor;
  /** Aborted when the start failed or is to stop. */
  readonly signal: AbortSignal;
}

/** Order of stopping: the highest tier first. */
export const TIERS = { database: 0, messaging: 1, services: 2, workers: 3, gateways: 4 } as const;

/**
 * What a child process gets to know of the launcher's environment: where programs, temporary files
 * and certificates are. Secrets of the user's shell stay out.
 */
export function plainEnvironment({ stage }: Pick<LaunchContext, 'stage'>): Record<string, string> {
  const names = ['PATH', 'HOME', 'TMPDIR', 'TZ', 'LANG', 'LC_ALL', 'NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR'];
  return pick(stage.environment, names);
}

/** The variables that are set, by name. */
export const pick = (environment: NodeJS.ProcessEnv, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.flatMap((name) => (environment[name] ? [[name, environment[name]]] : [])));
