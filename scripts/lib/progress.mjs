const FIRST_SIGN_MS = 700;
const NEXT_SIGN_MS = 10_000;

const seconds = (since) => `${((performance.now() - since) / 1000).toFixed(1)} s`;

/** Whether a line says that a step still runs. */
const isSign = (text) => text.startsWith('… ');

/**
 * Writes lines. On a terminal the sign of a running step takes the place of the sign before it.
 * @param {Pick<NodeJS.WriteStream, 'write' | 'isTTY' | 'columns'>} stream
 * @returns {(text: string) => void}
 */
export function lineWriter(stream) {
  let hasSign = false;
  return (text) => {
    const fitting = isSign(text) ? `${text.trimEnd().slice(0, (stream.columns || 80) - 1)}\n` : text;
    if (stream.isTTY) stream.write(`${hasSign ? '\x1b[1A\x1b[2K' : ''}${fitting}`);
    else stream.write(text);
    hasSign = isSign(text);
  };
}

/**
 * Reports steps and their duration on stderr. A step is announced after 0.7 s, repeated every 10 s, and closed with its duration.
 */
export class Progress {
  #write;

  /** @param {(text: string) => void} write writes a line; default: to stderr */
  constructor(write = lineWriter(process.stderr)) {
    this.#write = write;
  }

  /** Writes a line. */
  note(text) {
    this.#write(`${text}\n`);
  }

  /**
   * Runs `work` as a named step. Its argument sets the detail of the step's lines.
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
