import { type AccountId, type RpcContract } from '@slipway/contracts';
import type { z } from 'zod';
import type { Terminal } from '../terminal.js';

/** An account as commands name it. */
export interface Account {
  readonly id: AccountId;
  readonly slug: string;
}

/** What commands work with. */
export interface Session {
  readonly terminal: Terminal;
  /** Value of `--account`. */
  readonly accountOption: string | undefined;
  /** Where the console of `npm start` is opened; absent where nothing says so. */
  readonly consoleUrl?: string | undefined;
  /**
   * Asks a service.
   * @throws ServiceError when it refuses; CliError `unavailable` when it does not answer
   */
  call<C extends RpcContract>(contract: C, request: z.input<C['request']>): Promise<z.output<C['reply']>>;
  close(): Promise<void>;
}
