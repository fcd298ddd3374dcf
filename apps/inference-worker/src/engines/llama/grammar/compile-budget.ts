import { ServiceError } from '@slipway/contracts';

const MAX_RULES = 30_000;
const MAX_KIB = 512;
const MAX_STEPS = 40_000;

/**
 * What the grammars of one request may take together: rules, characters, and steps of reading their schemas.
 * Its methods throw ServiceError `unsupported_value` when it is spent.
 */
export class CompileBudget {
  #rules = 0;
  #chars = 0;
  #steps = 0;

  /** A rule is begun. */
  rule(): void {
    this.#rules += 1;
    if (this.#rules > MAX_RULES) throw tooLarge(`more than ${MAX_RULES} rules`);
  }

  /** Characters of grammar were written. */
  chars(count: number): void {
    this.#chars += count;
    if (this.#chars > MAX_KIB * 1024) throw tooLarge(`more than ${MAX_KIB} KiB`);
  }

  /** Parts of a schema were looked at. */
  steps(count = 1): void {
    this.#steps += count;
    if (this.#steps > MAX_STEPS) throw tooLarge('too many combinations and references');
  }
}

const tooLarge = (what: string): ServiceError =>
  new ServiceError('unsupported_value', `The grammar that this would take is too large: ${what}. All schemas of a request count together.`);
