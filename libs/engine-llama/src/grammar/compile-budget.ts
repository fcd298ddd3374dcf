import { ServiceError } from '@slipway/contracts';

const MAX_RULES = 30_000;
const MAX_KIB = 512;
const MAX_STEPS = 40_000;
/** CPU time for the grammars of one request, in milliseconds. */
const MAX_MS = 2_000;

/** Cause of an error that may not occur again. */
class OutOfTime extends Error {}

/** Whether an error means only that the time for compiling ran out. */
export const isOutOfTime = (error: Error): boolean => error.cause instanceof OutOfTime;

/** The error for a grammar that takes too long to compile. */
export const outOfTime = (): ServiceError =>
  new ServiceError('unsupported_value', 'The schemas or the grammar of this request take too long to compile. Make them smaller.', {
    cause: new OutOfTime(),
  });

/** Steps of reading schemas, over all parts of a request, kept or not. */
class Work {
  #steps = 0;
  #most = MAX_STEPS;
  #end: number;

  constructor(private readonly clock: () => number) {
    this.#end = clock() + MAX_MS;
  }

  steps(count: number): void {
    this.#steps += count;
    if (this.#steps > this.#most) throw tooLarge('too many combinations and references');
    this.look();
  }

  look(): void {
    if (this.clock() > this.#end) throw outOfTime();
  }

  extend(): void {
    this.#steps = 0;
    this.#most = MAX_STEPS;
    this.#end = this.clock() + MAX_MS / 4;
  }
}

/** Size of a grammar. */
export interface GrammarSize {
  readonly rules: number;
  readonly chars: number;
}

/**
 * Budget of all grammars of one request: rules, characters, steps of reading schemas, and time. Its methods throw ServiceError
 * `unsupported_value` when it is used up.
 */
export class CompileBudget {
  #rules = 0;
  #chars = 0;
  readonly #work: Work;

  /** @param clock CPU time in milliseconds; called often. Absent = time is unlimited. */
  constructor(
    clock: (() => number) | Work = () => 0,
    private readonly taken: GrammarSize = { rules: 0, chars: 0 },
  ) {
    this.#work = clock instanceof Work ? clock : new Work(clock);
  }

  /** Size written so far. */
  get size(): GrammarSize {
    return { rules: this.#rules, chars: this.#chars };
  }

  /** Budget of a part that may be dropped: its size counts only once it is kept. */
  part(): CompileBudget {
    const { rules, chars } = this.taken;
    return new CompileBudget(this.#work, { rules: rules + this.#rules, chars: chars + this.#chars });
  }

  /** Keeps a part. @returns false when it does not fit. */
  keep({ rules, chars }: GrammarSize): boolean {
    if (this.#isOver(rules, chars)) return false;
    this.#rules += rules;
    this.#chars += chars;
    return true;
  }

  /** Adds steps and a quarter of the time, for the replacement of a part that was too large. */
  extend(): void {
    this.#work.extend();
  }

  /** Counts a rule. */
  rule(): void {
    this.#rules += 1;
    if (this.#isOver(0, 0)) throw tooLarge(`more than ${MAX_RULES} rules`);
    this.#work.look();
  }

  /** Counts characters of grammar. */
  chars(count: number): void {
    this.#chars += count;
    if (this.#isOver(0, 0)) throw tooLarge(`more than ${MAX_KIB} KiB`);
  }

  /** Counts steps of reading a schema. */
  steps(count = 1): void {
    this.#work.steps(count);
  }

  #isOver(rules: number, chars: number): boolean {
    const { taken } = this;
    return taken.rules + this.#rules + rules > MAX_RULES || taken.chars + this.#chars + chars > MAX_KIB * 1024;
  }
}

const tooLarge = (what: string): ServiceError =>
  new ServiceError('unsupported_value', `The grammar for this is too large: ${what}. All schemas of a request count together.`);
