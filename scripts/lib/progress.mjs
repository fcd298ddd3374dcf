const FIRST_SIGN_MS = 700;
const NEXT_SIGN_MS = 10_000;

const seconds = (since) => `${((performance.now() - since) / 1000).toFixed(1)} s`;

/**
 * Says on stderr what is being done and how long it took. A step is announced when it takes longer
 * than a moment, reported each 10 s while it lasts, and closed with its duration.
 */
export class Progress {
  #write;

  /** @param {(text: string) => void} write where the lines go; stderr unless given. */
  constructor(write = (text) => process.stderr.write(text)) {
    this.#write = write;
  }

  /** One line of its own. */
  note(text) {
    this.#write(`${text}\n`);
  }

  /**
   * Runs `work` as a named step; `work` gets a function that says what the step is busy with.
   * @template T
   * @param {string} title such as "Installing dependencies"
   * @param {(detail: (text: string) => void) => Promise<T>} work
   * @returns {Promise<T>}
   */
  async step(title, work) {
    const since = performance.now();
    let detail = '';
    const sign = () => this.note(`… ${title}${detail && `: ${detail}`} (${seconds(since)})`);
    const first = setTimeout(sign, FIRST_SIGN_MS);
    const next = setInterval(sign, NEXT_SIGN_MS);
    try {
      const result = await work((text) => {
        detail = text;
      });
      this.note(`✓ ${title} (${seconds(since)})`);
      return result;
    } finally {
      clearTimeout(first);
      clearInterval(next);
    }
  }
}
