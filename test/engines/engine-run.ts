import type { CanonicalRequest, StreamEvent, Usage } from '@slipway/contracts';
import { createLogger } from '@slipway/platform';
import type { Engine, EngineSettings, UnreadRequest } from '../../libs/engine/src/engine.js';
import type { RequestFacts } from '../../libs/engine/src/prompt-text.js';
import { until as poll } from '../testing/until.js';

export const SETTINGS: EngineSettings = {
  context: null,
  slots: 4,
  queue: 64,
  threads: 1,
  defaultMaxTokens: null,
  log: createLogger('engine-test', 'silent'),
};

/** A request of one user message, greedy unless something else is asked for. */
export const ask = (text: string, more: Partial<CanonicalRequest> = {}): CanonicalRequest => ({
  messages: [{ role: 'user', content: [{ type: 'text', text }] }],
  sampling: { temperature: 0 },
  stop: [],
  ...more,
});

export const message = (role: 'system' | 'user' | 'assistant', text: string): CanonicalRequest['messages'][number] => ({
  role,
  content: [{ type: 'text', text }],
});

/** A generation with all that came out of it. */
export class EngineRun {
  readonly batches: (readonly StreamEvent[])[] = [];
  readonly phases: string[] = [];
  /** Relaxed places reported before the first event. */
  relaxed: readonly string[] = [];
  /** Facts reported of a request that came unread. */
  facts: RequestFacts | undefined;
  readonly #abort = new AbortController();
  readonly usage: Promise<Usage>;

  constructor(engine: Engine, request: CanonicalRequest | UnreadRequest) {
    const output = {
      account: null,
      read: (facts: RequestFacts) => void (this.facts = facts),
      relaxed: (places: readonly string[]) => {
        if (this.batches.length === 0) this.relaxed = places;
      },
      phase: (phase: string) => void this.phases.push(phase),
      events: (batch: readonly StreamEvent[]) => void this.batches.push(batch),
    };
    this.usage = engine.generate(request, output, this.#abort.signal);
    // Tests look at the failure when they get to it.
    this.usage.catch(() => undefined);
  }

  get events(): StreamEvent[] {
    return this.batches.flat();
  }

  get text(): string {
    return this.events.map((event) => (event.k === 'text' ? event.x : '')).join('');
  }

  /** Text of one choice. */
  textOf(choice: number): string {
    return this.events.map((event) => (event.k === 'text' && (event.c ?? 0) === choice ? event.x : '')).join('');
  }

  get thoughts(): string {
    return this.events.map((event) => (event.k === 'think' ? event.x : '')).join('');
  }

  /** Calls with their whole arguments. */
  get calls(): { id: string; name: string; args: string }[] {
    const calls: { id: string; name: string; args: string }[] = [];
    for (const event of this.events) {
      if (event.k === 'call') calls.push({ id: event.id, name: event.name, args: '' });
      const call = calls.at(-1);
      if (event.k === 'args' && call) call.args += event.x;
    }
    return calls;
  }

  /** Tokens that the events account for. */
  get counted(): number {
    return this.events.reduce((sum, event) => sum + (event.k === 'text' || event.k === 'think' ? event.n : 0), 0);
  }

  get fin(): Extract<StreamEvent, { k: 'fin' }> | undefined {
    return this.events.find((event) => event.k === 'fin');
  }

  abort(): void {
    this.#abort.abort();
  }

  /** Waits for the end. */
  async done(): Promise<this> {
    await this.usage;
    return this;
  }
}

export const run = (engine: Engine, request: CanonicalRequest | UnreadRequest): Promise<EngineRun> => new EngineRun(engine, request).done();

/** Polls until `condition` holds, often enough for what passes in a few milliseconds. */
export async function until(what: string, condition: () => boolean, deadlineMs = 40_000): Promise<void> {
  await poll(what, condition, deadlineMs, 2);
}
