/** The apps that tests start. */
export type AppName =
  | 'keys-service'
  | 'deployments-service'
  | 'tuning-service'
  | 'training-worker'
  | 'gateway'
  | 'inference-worker'
  | 'console';

/** A running app, wherever it runs: in the process of the test, or as a process of its own. */
export interface TestService {
  readonly app: AppName;
  /** All that it has logged. */
  readonly output: string;
  /** Whether it has logged this event. */
  logged(event: string): boolean;
  /** The port that a `….listening` line of the log names; undefined before it is written. */
  port(event: string): number | undefined;
  /** Waits until it is ready. @throws Error with its log when it is not, or has ended */
  ready(): Promise<this>;
  /** Status and text of /readyz; status 0 while the port is closed. */
  readiness(): Promise<{ readonly status: number; readonly text: string }>;
  /** Ends it in order and resolves with its exit code, 0 when nothing failed. */
  stop(): Promise<number | null>;
  /** Ends it in the quickest way that leaves nothing behind. */
  end(): Promise<void>;
  /** Ends it in order and returns all that it ever logged. */
  lastWords(): Promise<string>;
}

/** Where an app finds NATS. */
export interface NatsAddress {
  readonly url: string;
  readonly credentialsDir?: string;
}
