import type { AccountId, Actor, RpcContract } from '@slipway/contracts';
import type { z } from 'zod';
import type { SeenProcesses } from '../check/releases.js';
import type { Terminal } from '../terminal.js';

/** The actor that the audit log names for what the command line does. */
export const OPERATOR: Actor = { kind: 'ops', client: 'slipway-cli' };

/** An account as commands name it. */
export interface Account {
  readonly id: AccountId;
  readonly slug: string;
}

/** What a command knows of the NATS server. */
export interface ServerFacts {
  readonly version: string;
  /** Releases: the oldest that is supported, and the one with all known fixes. */
  readonly least: string;
  readonly recommended: string;
  readonly isTooOld: boolean;
  readonly isOld: boolean;
  readonly encrypted: boolean;
  readonly roundTripMs: number;
}

/** The connection that commands work with. */
export interface Session {
  readonly terminal: Terminal;
  /** Value of `--account`. */
  readonly accountOption: string | undefined;
  /** Address of the console of `npm start`; absent where it is not known. */
  readonly consoleUrl?: string | undefined;
  /** Null when the server does not answer. Absent in sessions that reach nothing. */
  readonly server?: () => Promise<ServerFacts | null>;
  /**
   * Asks all processes what they are, for a second. Absent in sessions that reach nothing.
   * @param wanted name of a process: when it has answered, the others are not waited for
   */
  readonly processes?: (wanted?: string) => Promise<SeenProcesses>;
  /**
   * Calls a service.
   * @param tokens of the subject besides the environment, such as the asked process
   * @throws ServiceError when it refuses; CliError `unavailable` when it does not answer
   */
  call<C extends RpcContract>(
    contract: C,
    request: z.input<C['request']>,
    tokens?: Readonly<Record<string, string>>,
  ): Promise<z.output<C['reply']>>;
  close(): Promise<void>;
}
