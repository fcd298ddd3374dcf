/** The part of passport that the gateway uses; the package carries no types. */
declare module 'passport' {
  type Next = (error?: unknown) => void;
  type Verdict<User> = (error: unknown, user: User | false | null | undefined) => void;

  export class Strategy {
    name: string;
    /** Ends with exactly one of the verdicts below. */
    authenticate(request: unknown): void;
    success(user: unknown): void;
    fail(challenge?: unknown): void;
    error(error: unknown): void;
  }

  export class Authenticator {
    use(strategy: Strategy): this;
    authenticate<User>(
      strategies: readonly string[],
      options: { session: false },
      verdict: Verdict<User>,
    ): (request: unknown, response: unknown, next: Next) => void;
  }

  const passport: { readonly Authenticator: typeof Authenticator; readonly Strategy: typeof Strategy };
  export default passport;
}
