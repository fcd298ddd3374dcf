import { execFile } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import OpenAI from 'openai';
import type { Stack } from './stack.js';
import { streamedAnswer } from './streamed-answer.js';

const CLI = fileURLToPath(new URL('../../apps/cli/bin/slipway.mjs', import.meta.url));
const PROBE_PAUSE_MS = 250;
const COMMAND_PAUSE_MS = 1_000;
/** Time after which a refused client retries. */
const AGAIN_MS = 100;

/** Outcome of one stream of the load. */
interface Ended {
  readonly at: number;
  /** `whole`, `cut` = it looked complete but was not, or the error that the SDK raised. */
  readonly how: string;
  /** Longest time between two pieces of text, in milliseconds. */
  readonly pauseMs: number;
}

/** Observations since a moment. */
export interface Seen {
  readonly streams: Readonly<Record<string, number>>;
  readonly longestPauseMs: number;
  /** Answers to new, short requests by status; `none` = no answer. */
  readonly requests: Readonly<Record<string, number>>;
  /** Exit codes of the command line. */
  readonly commands: Readonly<Record<string, number>>;
}

const countOf = (values: readonly string[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
};

/** Clients that stream continuously at all gateways, with short requests and commands beside them. */
export class SteadyLoad {
  readonly #ended: Ended[] = [];
  readonly #requests: { at: number; status: string }[] = [];
  readonly #commands: { at: number; code: string }[] = [];
  readonly #running: Promise<void>[] = [];
  #over = false;

  constructor(
    private readonly stack: Stack,
    private readonly key: string,
    /** The expected answer to a question. */
    private readonly answerTo: (question: string) => string,
  ) {}

  start(streams: number): void {
    for (let nth = 0; nth < streams; nth += 1) this.#running.push(this.#stream(nth));
    for (const gateway of this.stack.gateways) this.#running.push(this.#probe(gateway));
    this.#running.push(this.#command());
  }

  async end(): Promise<void> {
    this.#over = true;
    await Promise.all(this.#running);
  }

  /** Streams completed since then. */
  wholeSince(at: number): number {
    return this.#ended.filter((one) => one.at >= at && one.how === 'whole').length;
  }

  since(at: number): Seen {
    const ended = this.#ended.filter((one) => one.at >= at);
    return {
      streams: countOf(ended.map(({ how }) => how)),
      longestPauseMs: Math.round(Math.max(0, ...ended.map(({ pauseMs }) => pauseMs))),
      requests: countOf(this.#requests.filter((one) => one.at >= at).map(({ status }) => status)),
      commands: countOf(this.#commands.filter((one) => one.at >= at).map(({ code }) => code)),
    };
  }

  async #stream(nth: number): Promise<void> {
    const gateway = this.stack.gateways[nth % this.stack.gateways.length] ?? '';
    const client = new OpenAI({ baseURL: `${gateway}/${this.stack.alias}/v1`, apiKey: this.key, maxRetries: 0 });
    for (let turn = 0; !this.#over; turn += 1) {
      const question = `q${nth}.${turn}`;
      let pauseMs = 0;
      let last: number | null = null;
      const { text, finish, error } = await streamedAnswer(client, 'demo', [{ role: 'user', content: question }], () => {
        const now = performance.now();
        if (last !== null) pauseMs = Math.max(pauseMs, now - last);
        last = now;
      });
      this.#ended.push({ at: Date.now(), how: this.#judge(question, { text, finish, error }), pauseMs });
      if (error !== null) await delay(AGAIN_MS);
    }
  }

  #judge(question: string, { text, finish, error }: { text: string; finish: string | null; error: unknown }): string {
    const wanted = this.answerTo(question);
    if (!wanted.startsWith(text)) return 'wrong';
    if (error === null) return finish === 'stop' && text === wanted ? 'whole' : 'cut';
    if (!(error instanceof OpenAI.APIError)) return error instanceof Error ? error.message : 'unknown';
    const begun = text === '' ? 'refused' : 'broken';
    return `${begun}: ${error.code ?? (error instanceof OpenAI.APIConnectionError ? 'connection' : error.message)}`;
  }

  async #probe(gateway: string): Promise<void> {
    while (!this.#over) {
      const at = Date.now();
      const status = await fetch(`${gateway}/${this.stack.alias}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'x-api-key': this.key, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'demo', messages: [{ role: 'user', content: 'short' }] }),
      }).then(
        async (response) => {
          await response.text();
          return String(response.status);
        },
        () => 'none',
      );
      this.#requests.push({ at, status });
      await delay(PROBE_PAUSE_MS);
    }
  }

  async #command(): Promise<void> {
    while (!this.#over) {
      const at = Date.now();
      const args = [CLI, 'keys', 'list', '--json', '--data-dir', this.stack.dataDir];
      const code = await new Promise<string>((resolve) => {
        execFile(process.execPath, args, (error) => resolve(String(error?.code ?? 0)));
      });
      this.#commands.push({ at, code });
      await delay(COMMAND_PAUSE_MS);
    }
  }
}
