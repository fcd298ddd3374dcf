import { createServer, type Server } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

const TICK_MS = 250;

/** An engine that answers `SECONDS n` with a word each quarter of a second, for n seconds. It listens where containers reach it. */
export async function startSlowEngine(port: number): Promise<Server> {
  const server = createServer((request, response) => {
    void (async () => {
      let body = '';
      for await (const piece of request) body += String(piece);
      if (request.method !== 'POST') return void response.end(JSON.stringify({ object: 'list', data: [{ id: 'slow', object: 'model' }] }));
      const words = wordsOf(Number(/SECONDS (\d+)/.exec(body)?.[1] ?? 1));
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const chunk = (delta: object, finish: string | null = null): void => {
        const choices = [{ index: 0, delta, finish_reason: finish }];
        response.write(`data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'slow', choices })}\n\n`);
      };
      for (const content of words) {
        if (response.destroyed) return;
        chunk({ content });
        await pause(TICK_MS);
      }
      chunk({}, 'stop');
      response.end('data: [DONE]\n\n');
    })().catch(() => response.destroy());
  });
  return new Promise((resolve) => server.listen(port, '0.0.0.0', () => resolve(server)));
}

const wordsOf = (seconds: number): string[] => Array.from({ length: (seconds * 1_000) / TICK_MS }, (_, n) => `w${n} `);

/** What became of the requests of a load. */
export interface LoadResult {
  readonly complete: number;
  /** Answers that ended too early, with an error event or with another text. */
  readonly broken: string[];
  /** Answers with a status other than 200. */
  readonly refused: string[];
  /** Longest time between two reads of a stream, in seconds. */
  readonly longestGap: number;
}

/** Clients of gateways behind a balancer that asks for their readiness each second. */
export class StreamLoad {
  readonly #ready = new Map<string, boolean>();
  readonly #running = new Set<Promise<void>>();
  readonly #broken: string[] = [];
  readonly #refused: string[] = [];
  #complete = 0;
  #longestGap = 0;
  #isOver = false;
  #turn = 0;
  #checks: NodeJS.Timeout | undefined;

  constructor(
    private readonly gateways: readonly string[],
    private readonly path: string,
    private readonly key: string,
  ) {}

  /** Keeps so many streams of this length going; each is followed by another one until `end`. */
  async keep(count: number, seconds: number): Promise<void> {
    this.#checks ??= setInterval(() => void this.#check(), 1_000);
    await this.#check();
    for (let n = 0; n < count; n += 1) {
      const client = this.#client(seconds, (n * seconds * 1_000) / count);
      this.#running.add(client);
      void client.finally(() => this.#running.delete(client));
    }
  }

  /** One request at a gateway of its own choice, or at the next one that is ready. */
  async ask(seconds: number, gateway = this.#next()): Promise<void> {
    try {
      const body = JSON.stringify({ model: 'slow', stream: true, messages: [{ role: 'user', content: `SECONDS ${seconds}` }] });
      const headers = { authorization: `Bearer ${this.key}`, 'content-type': 'application/json' };
      const answer = await fetch(`${gateway}${this.path}`, { method: 'POST', headers, body });
      if (answer.status !== 200) return void this.#refused.push(`${answer.status} ${await answer.text()}`);
      const text = await this.#read(answer);
      if (text === `${wordsOf(seconds).join('')}[DONE]`) this.#complete += 1;
      else this.#broken.push(text.slice(-300));
    } catch (error) {
      const { cause, message } = error as Error;
      this.#broken.push(`${message}: ${(cause as NodeJS.ErrnoException | undefined)?.code ?? String(cause)}`);
    }
  }

  /** Lets running streams end. */
  async end(): Promise<LoadResult> {
    this.#isOver = true;
    await Promise.all(this.#running);
    clearInterval(this.#checks);
    return this.result;
  }

  get result(): LoadResult {
    return { complete: this.#complete, broken: this.#broken, refused: this.#refused, longestGap: this.#longestGap };
  }

  async #read(answer: Response): Promise<string> {
    const decoder = new TextDecoder();
    let [raw, last] = ['', performance.now()];
    try {
      for await (const piece of answer.body as unknown as AsyncIterable<Uint8Array>) {
        raw += decoder.decode(piece, { stream: true });
        this.#longestGap = Math.max(this.#longestGap, (performance.now() - last) / 1_000);
        last = performance.now();
      }
    } catch (cause) {
      // What came before a connection was cut says why.
      throw new Error(`after ${JSON.stringify(raw.slice(-300))}`, { cause });
    }
    const events = [...raw.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => data);
    return events.map((data) => (data === '[DONE]' ? data : textOf(data))).join('');
  }

  async #client(seconds: number, startsAfterMs: number): Promise<void> {
    await pause(startsAfterMs);
    while (!this.#isOver) await this.ask(seconds);
  }

  #next(): string {
    const open = this.gateways.filter((gateway) => this.#ready.get(gateway) !== false);
    const from = open.length > 0 ? open : this.gateways;
    return from[(this.#turn += 1) % from.length] ?? '';
  }

  async #check(): Promise<void> {
    const ask = async (gateway: string): Promise<void> => {
      const answer = await fetch(`${gateway}/readyz`, { signal: AbortSignal.timeout(900) }).catch((error: unknown) => error as Error);
      // One late answer says nothing: the machine may be busy.
      if (answer instanceof Error && answer.name === 'TimeoutError') return;
      this.#ready.set(gateway, !(answer instanceof Error) && answer.status === 200);
    };
    await Promise.all(this.gateways.map(ask));
  }
}

function textOf(data: string): string {
  const { choices = [], error } = JSON.parse(data) as { choices?: { delta?: { content?: string } }[]; error?: unknown };
  return error === undefined ? (choices[0]?.delta?.content ?? '') : `ERROR ${JSON.stringify(error)}`;
}
