import { setTimeout as delay } from 'node:timers/promises';

/** How often each gateway's /readyz is asked, as load balancers do, in milliseconds. */
const CHECK_MS = 1_000;
const TOKENS = 20;
/** Pause between two tokens, in milliseconds. */
const TOKEN_MS = 150;

/** What the engine answers to every request. */
export const ANSWER = { prompt: 7, tokens: TOKENS, pauseMs: TOKEN_MS } as const;

/** How requests ended, by outcome: `whole`, or what was wrong. */
export type Outcomes = Readonly<Record<string, number>>;

/** Clients that stream without pause through a load balancer with a readiness check. */
export class BalancedLoad {
  readonly #gateways = new Set<string>();
  #ready: readonly string[] = [];
  readonly #outcomes: Record<string, number> = {};
  readonly #running: Promise<void>[] = [];
  #over = false;
  #next = 0;

  /** @param path `deployment-<id>` */
  constructor(
    private readonly path: string,
    private readonly key: string,
  ) {}

  get outcomes(): Outcomes {
    return { ...this.#outcomes };
  }

  /** Requests that have ended. */
  get ended(): number {
    return Object.values(this.#outcomes).reduce((sum, count) => sum + count, 0);
  }

  /** Whether the balancer sends requests there. */
  uses(gateway: string): boolean {
    return this.#ready.includes(gateway);
  }

  add(gateway: string): void {
    this.#gateways.add(gateway);
  }

  remove(gateway: string): void {
    this.#gateways.delete(gateway);
  }

  start(streams: number): void {
    this.#running.push(this.#check());
    for (let nth = 0; nth < streams; nth += 1) this.#running.push(this.#client());
  }

  /** Lets running requests end. */
  async end(): Promise<void> {
    this.#over = true;
    await Promise.all(this.#running);
  }

  async #check(): Promise<void> {
    while (!this.#over) {
      const answers = [...this.#gateways].map(async (gateway) => {
        const answer = await fetch(`${gateway}/readyz`, { signal: AbortSignal.timeout(CHECK_MS) }).catch(() => null);
        await answer?.text();
        return answer?.status === 200 ? gateway : null;
      });
      this.#ready = (await Promise.all(answers)).filter((gateway) => gateway !== null);
      await delay(CHECK_MS);
    }
  }

  async #client(): Promise<void> {
    while (!this.#over) {
      const gateway = this.#ready[(this.#next += 1) % Math.max(1, this.#ready.length)];
      if (gateway === undefined) {
        await delay(CHECK_MS / 10);
        continue;
      }
      const outcome = await this.#ask(gateway).catch((error: unknown) => `cut: ${error instanceof Error ? error.message : 'unknown'}`);
      this.#outcomes[outcome] = (this.#outcomes[outcome] ?? 0) + 1;
      if (outcome !== 'whole') await delay(CHECK_MS / 10);
    }
  }

  async #ask(gateway: string): Promise<string> {
    const response = await fetch(`${gateway}/${this.path}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: this.path, stream: true, messages: [{ role: 'user', content: 'go' }] }),
    });
    const body = await response.text();
    if (response.status !== 200) return `${response.status} ${body.slice(0, 200)}`;
    const said = textOf(body);
    const isWhole = said === wholeAnswer() && body.includes('"finish_reason":"stop"') && body.trimEnd().endsWith('data: [DONE]');
    return isWhole ? 'whole' : `broken: ${body.slice(-200)}`;
  }
}

interface Chunk {
  readonly choices: readonly { readonly delta: { readonly content?: string } }[];
}

/** The text of all events of a streamed answer. */
const textOf = (body: string): string =>
  body
    .split('\n')
    .filter((line) => line.startsWith('data: {"'))
    .flatMap((line) => (JSON.parse(line.slice(6)) as Partial<Chunk>).choices ?? [])
    .map(({ delta }) => delta.content ?? '')
    .join('');

const wholeAnswer = (): string => Array.from({ length: TOKENS }, (_, nth) => `w${nth} `).join('');
