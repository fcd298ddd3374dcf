import type { Msg, MsgHdrs, NatsConnection } from '@slipway/platform';

/** Numbers between 0 and 1 that are the same for the same seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** What a network does to messages. */
export interface Weather {
  /** Share of the messages that are lost. */
  readonly loss: number;
  /** Share of the messages that arrive twice. */
  readonly twice: number;
  /** Longest way of a message, in milliseconds; messages of one connection never overtake one another. */
  readonly delayMs: number;
}

interface Interest {
  readonly subject: readonly string[];
  readonly callback: (err: null, msg: Msg) => void;
}

/** One end of the simulated network, as far as the transport uses a connection. */
class End {
  readonly interests = new Set<Interest>();
  isUp = true;
  isDead = false;
  /** When what was sent to this end last arrives. */
  arrivesAt = 0;
  #statuses: string[] = [];
  #next: (() => void) | undefined;

  constructor(private readonly bus: SimulatedNats) {}

  get connection(): NatsConnection {
    const connection: Partial<NatsConnection> = {
      info: { max_payload: 1_048_576 } as NonNullable<NatsConnection['info']>,
      isClosed: () => false,
      getServer: () => 'simulated',
      reconnect: () => Promise.resolve(),
      publish: (subject, payload, options) => this.#publish(subject, Buffer.from(payload ?? ''), options),
      subscribe: (subject, options) => this.#subscribe(subject, options?.callback as Interest['callback']),
      flush: () => this.bus.roundTrip(this),
      status: () => this.#status() as ReturnType<NatsConnection['status']>,
    };
    return connection as NatsConnection;
  }

  /** Loses the connection for a while: what is sent meanwhile, in both directions, is lost. */
  leave(ms: number): void {
    this.#change(false);
    setTimeout(() => this.#change(true), ms);
  }

  #change(isUp: boolean): void {
    if (this.isDead) return;
    this.isUp = isUp;
    this.#statuses.push(isUp ? 'reconnect' : 'disconnect');
    this.#next?.();
  }

  #publish(subject: string, data: Buffer, options?: { reply?: string; headers?: MsgHdrs }): void {
    if (this.isUp && !this.isDead) this.bus.send({ subject, data, reply: options?.reply, headers: options?.headers });
  }

  #subscribe(subject: string, callback: Interest['callback']): ReturnType<NatsConnection['subscribe']> {
    const interest = { subject: subject.split('.'), callback };
    this.interests.add(interest);
    const end = (): void => void this.interests.delete(interest);
    return { unsubscribe: end, drain: () => Promise.resolve(end()) } as ReturnType<NatsConnection['subscribe']>;
  }

  async *#status(): AsyncGenerator<{ type: string }> {
    for (;;) {
      while (this.#statuses.length === 0) await new Promise<void>((resolve) => (this.#next = resolve));
      const type = this.#statuses.shift();
      if (type !== undefined) yield { type };
    }
  }
}

interface Sent {
  readonly subject: string;
  readonly data: Buffer;
  readonly reply?: string | undefined;
  readonly headers?: MsgHdrs | undefined;
}

const matches = (pattern: readonly string[], tokens: readonly string[]): boolean =>
  pattern.length === tokens.length && pattern.every((token, i) => token === '*' || token === tokens[i]);

/** A NATS server and its network in virtual time: it delays, loses and doubles messages, and answers 503 where nobody listens. */
export class SimulatedNats {
  messages = 0;
  batches = 0;
  readonly #ends: End[] = [];

  constructor(
    private readonly random: () => number,
    private readonly weather: Weather,
  ) {}

  end(): End {
    const end = new End(this);
    this.#ends.push(end);
    return end;
  }

  /** Ends a process: nothing leaves it, and nothing reaches it. */
  kill(end: End): void {
    end.isDead = true;
    end.interests.clear();
  }

  send(message: Sent): void {
    this.messages += 1;
    if (message.data.toString('latin1', 0, 12) === '{"k":"batch"') this.batches += 1;
    const tokens = message.subject.split('.');
    const reached = this.#ends.flatMap((end) => (end.isUp ? [...end.interests].map((interest) => ({ end, interest })) : []));
    const readers = reached.filter(({ interest }) => matches(interest.subject, tokens));
    if (readers.length === 0 && message.reply !== undefined) {
      const headers = { code: 503 } as MsgHdrs;
      this.send({ subject: message.reply, data: Buffer.alloc(0), headers });
    }
    for (const { end, interest } of readers) this.#carry(end, interest, message);
  }

  /** Rejects while the connection is down. */
  async roundTrip(end: End): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, 2 * this.#delay()));
    if (!end.isUp) throw new Error('disconnected');
  }

  #delay = (): number => this.random() * this.weather.delayMs;

  #carry(end: End, interest: Interest, { subject, data, reply, headers }: Sent): void {
    const { loss, twice } = this.weather;
    if (this.random() < loss) return;
    end.arrivesAt = Math.max(end.arrivesAt, performance.now() + this.#delay());
    const message = { subject, data, reply, headers, string: () => data.toString('utf8') } as unknown as Msg;
    const arrive = (): void => {
      if (end.isUp && end.interests.has(interest)) interest.callback(null, message);
    };
    for (let copies = this.random() < twice ? 2 : 1; copies > 0; copies -= 1) setTimeout(arrive, end.arrivesAt - performance.now());
  }
}
