import { ServiceError } from '@slipway/contracts';

const MAX_RULES = 30_000;
const MAX_KIB = 512;
const MAX_STEPS = 40_000;
/** Milliseconds of work that the grammars of one request may take. */
const MAX_MS = 2_000;

/** Why something was refused that may be taken another time. */
class OutOfTime extends Error {}

/** Whether an error says nothing but that the time for compiling was spent. */
export const isOutOfTime = (error: Error): boolean => error.cause instanceof OutOfTime;

export const outOfTime = (): ServiceError =>
  new ServiceError('unsupported_value', 'The schemas or the grammar of this request take too long to compile. Make them smaller.', {
    cause: new OutOfTime(),
  });

/** Reading schemas, counted over all parts of a request, whether they are kept or not. */
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

/** What a grammar takes. */
export interface GrammarSize {
  readonly rules: number;
  readonly chars: number;
}

/**
 * What the grammars of one request may take together: rules, characters, steps of reading their schemas, and time.
 * Its methods throw ServiceError `unsupported_value` when it is spent.
 */
export class CompileBudget {
  #rules = 0;
  #chars = 0;
  readonly #work: Work;

  /** @param clock milliseconds that were worked; asked often. Without one time is free. */
  constructor(
    clock: (() => number) | Work = () => 0,
    private readonly taken: GrammarSize = { rules: 0, chars: 0 },
  ) {
    this.#work = clock instanceof Work ? clock : new Work(clock);
  }

  /** What was written. */
  get size(): GrammarSize {
    return { rules: this.#rules, chars: this.#chars };
  }

  /** The budget of a part that may be given up: what the part writes counts for the whole only once it is kept. */
  part(): CompileBudget {
    const { rules, chars } = this.taken;
    return new CompileBudget(this.#work, { rules: rules + this.#rules, chars: chars + this.#chars });
  }

  /** Takes a part. @returns false when there is no room for it. */
  keep({ rules, chars }: GrammarSize): boolean {
    if (this.#isOver(rules, chars)) return false;
    this.#rules += rules;
    this.#chars += chars;
    return true;
  }

  /** Gives more steps and a quarter more time, for what is to be made instead of what took too much. */
  extend(): void {
    this.#work.extend();
  }

  /** A rule is begun. */
  rule(): void {
    this.#rules += 1;
    if (this.#isOver(0, 0)) throw tooLarge(`more than ${MAX_RULES} rules`);
    this.#work.look();
  }

  /** Characters of grammar were written. */
  chars(count: number): void {
    this.#chars += count;
    if (this.#isOver(0, 0)) throw tooLarge(`more than ${MAX_KIB} KiB`);
  }

  /** Parts of a schema were looked at. */
  steps(count = 1): void {
    this.#work.steps(count);
  }

  #isOver(rules: number, chars: number): boolean {
    const { taken } = this;
    return taken.rules + this.#rules + rules > MAX_RULES || taken.chars + this.#chars + chars > MAX_KIB * 1024;
  }
}

const tooLarge = (what: string): ServiceError =>
  new ServiceError('unsupported_value', `The grammar that this would take is too large: ${what}. All schemas of a request count together.`);
