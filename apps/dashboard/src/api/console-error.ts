/** What went wrong with a question to the console. `message` may be shown as it stands. */
export class ConsoleError extends Error {
  override readonly name = 'ConsoleError';

  constructor(
    /** A code of the system, or `offline` when no answer came. */
    readonly code: string,
    message: string,
    /** Field of the request that is wrong. */
    readonly param: string | null = null,
    /** By which the console's log names the request; null when none came back. */
    readonly request: string | null = null,
  ) {
    super(message);
  }

  /** Whether repeating may help. */
  get isPassing(): boolean {
    return ['offline', 'unavailable', 'auth_unavailable', 'internal', 'rate_limit_exceeded'].includes(this.code);
  }
}

/** Anything thrown, in words for people. */
export const messageOf = (error: unknown): string =>
  error instanceof ConsoleError
    ? error.message
    : 'Something went wrong on this page. Reload it; if it happens again, contact the operator.';

/** The code of anything thrown. */
export const codeOf = (error: unknown): string => (error instanceof ConsoleError ? error.code : 'page_failed');
