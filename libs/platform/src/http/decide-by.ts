import { ServiceError } from '@slipway/contracts';
import passport from 'passport';

/** What a strategy decides about a request: the user, or the refusal. */
export type Verdict<User extends object> = User | ServiceError;

/** A passport strategy, as far as it is run here. */
interface PassportStrategy {
  authenticate(request: object): unknown;
}

/** One request under one strategy. Its prototype inherits from the strategy, so that the strategy finds its own fields. */
interface Run<User extends object> extends PassportStrategy {
  readonly verdict: Verdict<User> | undefined;
  readonly fault: Error | undefined;
  /** Reports the end of a run that has not ended yet. */
  onEnd(resolve: (verdict: Verdict<User>) => void, reject: (fault: Error) => void): void;
}

/**
 * The class of all runs of a strategy. The five actions that passport gives to strategies stand on its prototype: passport's
 * own middleware assigns five new functions for each request instead, which V8 allocates in old space
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

    /** @param challenge why; a strategy that gives no ServiceError gets the common refusal. */
    fail(challenge?: unknown): void {
      this.#end(challenge instanceof ServiceError ? challenge : refusal);
    }

    error(thrown: unknown): void {
      this.#break(thrown instanceof Error ? thrown : new Error('A strategy failed.', { cause: thrown }));
    }

    pass(): void {
      this.#break(new Error('This strategy passed, and there is no session that could decide.'));
    }

    redirect(): void {
      this.#break(new Error('This strategy redirects, which no caller of an API follows.'));
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

/** The verdict of a strategy about a request: at once where the strategy decides at once, else a promise of it. */
export type Decide<User extends object> = (request: object) => Verdict<User> | Promise<Verdict<User>>;

/**
 * Runs a passport strategy through an adapter of ours, set by `passport.framework`, in place of the middleware for Connect
 * and Express. Passport itself keeps no session here. The returned function throws or rejects with what the strategy calls an
 * error, and with an Error for a strategy that passes or redirects.
 * @param strategy one that keeps its state in ordinary fields: private ones (`#x`) cannot be read through a prototype
 * @param refusal the verdict where the strategy fails without naming a ServiceError
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
  // The types take the result for what the function returns; it is the function.
  return new passport.Passport().framework(adapter).authenticate(strategy) as unknown as Decide<User>;
}
