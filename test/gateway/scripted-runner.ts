import { type DeploymentId, type Incarnation, type Start, type StreamEvent, textOf } from '@slipway/contracts';
import { type Logger, type NatsConnection, nuid } from '@slipway/platform';
import { type Generation, type GenerationResult, StreamSender, type StreamWriter } from '@slipway/stream-transport';

/** As many as a worker takes. */
const COUNTS_AT_ONCE = 64;

/** What a runner does for one start. It may throw a ServiceError; `signal` aborts when the stream is cancelled. */
export type Script = (start: Start, writer: StreamWriter, signal: AbortSignal) => Promise<GenerationResult>;

export interface ScriptedRunnerOptions {
  readonly nats: NatsConnection;
  readonly env: string;
  readonly dep: DeploymentId;
  readonly log: Logger;
  readonly slots?: number;
  readonly rev?: number;
  readonly script?: Script;
  /** What its heartbeat says that it can do; nothing unless set. */
  readonly caps?: readonly string[];
  /** Its name; absent = one of its own. */
  readonly wk?: Incarnation;
}

/** A runner without an engine, on the real worker side of the stream protocol. */
export class ScriptedRunner {
  readonly wk: Incarnation;
  /** Starts that were admitted, in order. */
  readonly admitted: Start[] = [];
  /** Streams whose signal was aborted. */
  cancelled = 0;
  script: Script;
  /** What it does for counts, which take no slot. */
  count: Script = countSeven;
  /** Counts that run. */
  counting = 0;
  used = 0;
  private readonly slots: number;
  private readonly sender: StreamSender;

  constructor({ nats, env, dep, log, slots = 8, rev = 1, script = answerInWords, caps = [], wk }: ScriptedRunnerOptions) {
    this.wk = wk ?? (nuid.next() as Incarnation);
    this.script = script;
    this.slots = slots;
    this.sender = new StreamSender({
      nats,
      env,
      log,
      wk: this.wk,
      dep,
      rev,
      fingerprint: 'scripted',
      caps,
      zone: null,
      admit: (start) => this.admit(start),
      load: () => ({ state: 'ready', slots: this.slots, used: this.used, queued: 0 }),
    });
  }

  start(): void {
    this.sender.start();
  }

  async stop(): Promise<void> {
    await this.sender.stop();
  }

  private admitCount(start: Start): Generation | 'busy' {
    if (this.counting >= COUNTS_AT_ONCE) return 'busy';
    this.counting += 1;
    this.admitted.push(start);
    return {
      run: async (writer, signal) => {
        signal.addEventListener('abort', () => (this.cancelled += 1), { once: true });
        try {
          return await this.count(start, writer, signal);
        } finally {
          this.counting -= 1;
        }
      },
    };
  }

  private admit(start: Start): Generation | 'busy' {
    if (start.api === 'count') return this.admitCount(start);
    if (this.used >= this.slots) return 'busy';
    this.used += 1;
    this.admitted.push(start);
    this.sender.loadChanged();
    return {
      run: async (writer, signal) => {
        signal.addEventListener('abort', () => (this.cancelled += 1), { once: true });
        try {
          return await this.script(start, writer, signal);
        } finally {
          this.used -= 1;
          this.sender.loadChanged();
        }
      },
    };
  }
}

export const countSeven: Script = async (_start, writer) => {
  writer.events([{ k: 'start', prompt: 7 }]);
  return { ...usageOf(0), usage: { prompt: 7, cached: 0, completion: 0 } };
};

const lastText = ({ req }: Start): string => textOf(req.messages.at(-1) ?? { role: 'user', content: [] });

/** The words of the last message, each with its blank, as tokens. */
export const wordsOf = (start: Start): string[] => lastText(start).match(/\S+\s*/g) ?? [];

export const usageOf = (completion: number): GenerationResult => ({
  usage: { prompt: 7, cached: 3, completion },
  times: { queue: 0, prefill: 1, total: 2 },
});

/** Answers with the words of the last message, as many as `max_tokens` allows. */
export const answerInWords: Script = async (start, writer) => {
  const all = wordsOf(start);
  const words = all.slice(0, start.req.max_tokens ?? all.length);
  writer.events([{ k: 'start', prompt: 7, cached: 3 }]);
  for (const word of words) writer.events([{ k: 'text', x: word, n: 1 }]);
  const r: Extract<StreamEvent, { k: 'fin' }>['r'] = words.length < all.length ? 'length' : 'stop';
  writer.events([{ k: 'fin', r }]);
  return usageOf(words.length);
};

/** Tokens of a text for `embedNumbers`. */
export const TEXT_TOKENS = 3;
/** A vector of four numbers whose direction is that of the number in its text, and of length 1. */
export function vectorOf(text: string): Float32Array {
  const numbers = [Number(/\d{1,9}/.exec(text)?.[0] ?? 0) + 1, 1, 2, 3];
  const length = Math.hypot(...numbers);
  return Float32Array.from(numbers, (number) => number / length);
}

/** Makes a vector of each text, the last text first, until it is cancelled. */
export const embedNumbers: Script = async ({ req }, writer, signal) => {
  let done = 0;
  for (const [i, message] of [...req.messages.entries()].toReversed()) {
    if (signal.aborted) break;
    const x = Buffer.from(vectorOf(textOf(message)).buffer).toString('base64');
    writer.events([{ k: 'vec', i, x }]);
    done += 1;
  }
  return { ...usageOf(0), usage: { prompt: TEXT_TOKENS * done, cached: 0, completion: 0 } };
};

/** Resolves after `ms`, or at once when the stream is cancelled. */
export const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done, { once: true });
  });

/** Answers with `count` numbered tokens, one every `gapMs`. */
export const answerSlowly =
  (count: number, gapMs: number): Script =>
  async (_start, writer, signal) => {
    let sent = 0;
    while (sent < count && !signal.aborted) {
      writer.events([{ k: 'text', x: `t${sent} `, n: 1 }]);
      sent += 1;
      await pause(gapMs, signal);
    }
    if (!signal.aborted) writer.events([{ k: 'fin', r: 'stop' }]);
    return usageOf(sent);
  };

/** Produces nothing until it is cancelled. */
export const staySilent: Script = async (_start, _writer, signal) => {
  await pause(600_000, signal);
  return usageOf(0);
};
