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
    readonly facts: Readonly<Record<string, string | number>> = {},
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** A command line that means nothing: exit code 2, with the usage of the command. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
