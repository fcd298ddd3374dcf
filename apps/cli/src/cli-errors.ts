import { InvalidArgumentError } from 'commander';

/** A failure that its one line explains: exit code 1. */
export class CliError extends Error {
  override readonly name: string = 'CliError';

  /**
   * @param code stable word for scripts
   * @param facts further fields for scripts
   */
  constructor(
    readonly code: string,
    message: string,
    readonly facts: Readonly<Record<string, string | number | object>> = {},
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/**
 * A command line that cannot be understood: exit code 2, with the help of the command. Thrown by the parser of an
 * option or argument, its message follows one that names the option and repeats the value.
 */
export class UsageError extends InvalidArgumentError {}
