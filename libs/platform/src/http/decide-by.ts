import { ServiceError } from '@slipway/contracts';
import passport from 'passport';

/** Decision of a strategy about a request: the user, or the refusal. */
export type Verdict<User extends object> = User | ServiceError;

/** The part of a passport strategy that is used here. */
interface PassportStrategy {
  authenticate(request: object): unknown;
}

/** One run of a strategy for a request. Its prototype inherits from the strategy, which thus finds its own fields. */
interface Run<User extends object> extends PassportStrategy {
  readonly verdict: Verdict<User> | undefined;
  readonly fault: Error | undefined;
  /** Settles the run, once. */
  onEnd(resolve: (verdict: Verdict<User>) => void, reject: (fault: Error) => void): void;
}

/**
 * The class of all runs of a strategy. The five actions that passport gives to strategies are on its prototype. Passport's own
 * middleware assigns five new functions per request instead, which V8 allocates in old space
 * (docs/decisions/credentials.md).
 */
function runsOf<User extends object>(strategy: PassportStrategy, refusal: ServiceError): new () => Run<User> {
  class StrategyRun {
    verdict: Verdict<User> | undefined = undefined;
    fault: Error | undefined = undefined;
    #resolve: ((verdict: Verdict<User>) => void) | undefined = undefined;
    #reject: ((fault: Error) => void) | undefined = undefined;

    success(user: User): void {
      this.#end(user);
    }

    /** @param challenge reason; the common refusal is used unless it is a ServiceError. */
    fail(challenge?: unknown): void {
      this.#end(challenge instanceof ServiceError ? challenge : refusal);
    }

    error(thrown: unknown): void {
      this.#break(thrown instanceof Error ? thrown : new Error('A strategy failed.', { cause: thrown }));
    }

    pass(): void {
      this.#break(new Error('The strategy passed, but no session decides here.'));
    }

    redirect(): void {
      this.#break(new Error('The strategy redirected, which an API does not support.'));
    }

    onEnd(resolve: (verdict: Verdict<User>) => void, reject: (fault: Error) => void): void {
      this.#resolve = resolve;
      this.#reject = reject;
    }

    #end(verdict: Verdict<User>): void {
      this.verdict ??= verdict;
      this.#resolve?.(verdict);
    }

    #break(fault: Error): void {
      this.fault ??= fault;
      this.#reject?.(fault);
    }
  }
  Object.setPrototypeOf(StrategyRun.prototype, strategy);
  return StrategyRun as unknown as new () => Run<User>;
}

/** Verdict of a strategy about a request: synchronous where the strategy is, else a promise. */
export type Decide<User extends object> = (request: object) => Verdict<User> | Promise<Verdict<User>>;

/**
 * Runs a passport strategy through our own adapter (`passport.framework`) instead of the middleware for Connect and Express,
 * without sessions. The returned function throws or rejects with the strategy's error, or with an Error when the strategy
 * passes or redirects.
 * @param strategy must have ordinary fields: private ones (`#x`) cannot be read through a prototype
 * @param refusal the verdict when the strategy fails without a ServiceError
 */
export function decideBy<User extends object>(strategy: PassportStrategy, refusal: ServiceError): Decide<User> {
  const adapter = {
    initialize: () => () => undefined,
    authenticate: (_passport: unknown, chosen: unknown): Decide<User> => {
      const StrategyRun = runsOf<User>(chosen as PassportStrategy, refusal);
      return (request) => {
        const run = new StrategyRun();
        run.authenticate(request);
        if (run.fault !== undefined) throw run.fault;
        return run.verdict ?? new Promise((resolve, reject) => run.onEnd(resolve, reject));
      };
    },
  };
  // The types describe the function's result; the value is the function.
  return new passport.Passport().framework(adapter).authenticate(strategy) as unknown as Decide<User>;
}
