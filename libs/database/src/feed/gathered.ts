/** Pause before questions are answered, in milliseconds: the processes of a machine ask in the same moment. */
const GATHER_MS = 4;

interface Waiting<Q, A> {
  readonly question: Q;
  readonly resolve: (answer: A) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Answers questions that come within some milliseconds of each other together. Questions that come while their turn waits join it.
 * @typeParam Q a question
 * @typeParam A its answer
 */
export class Gathered<Q, A> {
  readonly #answer: (take: () => readonly Q[]) => Promise<readonly A[]>;
  readonly #most: number;
  #waiting: Waiting<Q, A>[] = [];
  #planned = false;

  /**
   * @param answer takes the questions once it can answer them, and resolves to their answers in the same order; must not take none
   * @param most questions that are answered together
   */
  constructor(answer: (take: () => readonly Q[]) => Promise<readonly A[]>, most: number) {
    this.#answer = answer;
    this.#most = most;
  }

  /** @throws what answering the questions of this turn threw */
  ask(question: Q): Promise<A> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ question, resolve, reject });
      this.#plan();
    });
  }

  #plan(): void {
    if (this.#planned) return;
    this.#planned = true;
    setTimeout(() => void this.#turn(), GATHER_MS);
  }

  async #turn(): Promise<void> {
    let taken: readonly Waiting<Q, A>[] = [];
    const take = (): readonly Q[] => {
      taken = this.#waiting.splice(0, this.#most);
      this.#planned = false;
      if (this.#waiting.length > 0) this.#plan();
      return taken.map(({ question }) => question);
    };
    try {
      const answers = await this.#answer(take);
      for (const [index, { resolve }] of taken.entries()) resolve(answers[index] as A);
    } catch (error) {
      // What failed before it took its questions failed for all that wait.
      if (taken.length === 0) take();
      for (const { reject } of taken) reject(error);
    }
  }
}
