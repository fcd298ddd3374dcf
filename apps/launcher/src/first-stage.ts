import type { ModelSource } from '@slipway/contracts';

/**
 * What the first stage (scripts/lib, plain JavaScript that runs before anything is installed) hands
 * to this one. The implementations carry the full descriptions.
 */
export interface FirstStage {
  /** The repository. */
  readonly root: string;
  readonly options: LauncherOptions;
  readonly environment: NodeJS.ProcessEnv;
  readonly progress: Progress;
  /** Address of the first gateway on this machine. */
  readonly localUrl: string;
  /** A failure that its one line explains; the first stage prints it without a stack. */
  readonly StartError: new (message: string, options?: ErrorOptions) => Error;
  readonly machine: Machine;
  readonly processes: Processes;
  readonly ports: Ports;
}

/** The command line, see scripts/lib/options.mjs. */
export interface LauncherOptions {
  readonly json: boolean;
  readonly newKey: boolean;
  readonly port: number;
  readonly dataDir: string;
  readonly workers: number;
  readonly gateways: number;
  /** Null for the bundled model. */
  readonly source: ModelSource | null;
  readonly upstreamKeyVariable: string | null;
}

export interface Progress {
  note(text: string): void;
  step<T>(title: string, work: (detail: (text: string) => void) => Promise<T>): Promise<T>;
}

/** Where PostgreSQL's programs and data are, and who runs them. */
export interface PostgresHome {
  readonly folder: string;
  /** Folders outside of the repository and the data directory that had to be used. */
  readonly moved: readonly string[];
}

export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** Null for the launcher's own user. */
  readonly user: { readonly uid: number; readonly gid: number } | null;
}

/** Servers that the machine must have. */
export interface Machine {
  ensureNatsServer(options: { binDir: string; env: NodeJS.ProcessEnv; progress: Progress }): Promise<{ path: string; version: string }>;
  findPostgresHome(options: { root: string; dataDir: string; id: string }): Promise<PostgresHome>;
  /** False when the data was there. */
  initPostgres(home: PostgresHome, password: string): Promise<boolean>;
  postgresCommand(home: PostgresHome, port: number): ServerCommand;
  postgresUrl(port: number, password: string): string;
  probePostgres(port: number): Promise<boolean>;
  clearStalePostgres(home: PostgresHome): Promise<void>;
}

export interface Processes {
  /** With the pid it names one process for ever: pids are used again. Null when there is none. */
  startTimeOf(pid: number): string | null;
  /** Processes of the session that this one opened, itself included. */
  sessionMembers(leader: number): readonly number[];
}

export interface Ports {
  freePort(): Promise<number>;
  /** The system's code for why it cannot be listened on, or null. */
  portProblem(host: string, port: number): Promise<string | null>;
}
