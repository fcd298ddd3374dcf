import { Child } from '../testing/child.js';

/** What a tenant saw in a time. */
export interface Noticed {
  /** How streams ended, by word: `whole`, or what went wrong. */
  readonly streams: Readonly<Record<string, number>>;
  /** Longest time between two tokens of each stream, in milliseconds, rising. */
  readonly pauses: readonly number[];
  /** Answers to short requests, by status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Time of each short request, in milliseconds, rising. */
  readonly times: readonly number[];
  /** The same for its engine, asked without Slipway: what the machine itself adds while it is busy. */
  readonly direct: readonly number[];
}

interface Seen {
  readonly streams: readonly { readonly how: string; readonly pauseMs: number }[];
  readonly requests: readonly { readonly status: string; readonly ms: number }[];
  readonly direct: readonly { readonly ms: number }[];
}

/** Counts how often each word occurs. */
export function countOf(words: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}

const rising = (values: readonly number[]): number[] => values.toSorted((a, b) => a - b);

/**
 * A tenant that goes about its business, 20 streams of its own engine and 5 short requests a second, and takes down what it
 * notices. It is a process of its own: what others do in this one must not be taken for a pause of Slipway.
 */
export class Bystander {
  private constructor(
    private readonly child: Child,
    /** Where its engine listens. */
    readonly engineUrl: string,
  ) {}

  static async open(): Promise<Bystander> {
    const child = await Child.start(new URL('processes/bystander.mjs', import.meta.url), {});
    return new Bystander(child, await child.ask<string>('engine'));
  }

  start(place: { readonly gateways: readonly string[]; readonly path: string; readonly key: string }): Promise<void> {
    return this.child.ask('start', place);
  }

  /** Its clock, for `since`. */
  now(): Promise<number> {
    return this.child.ask('now');
  }

  /** What began at that time of its clock or later, and has ended. */
  async since(at: number): Promise<Noticed> {
    const { streams, requests, direct } = await this.child.ask<Seen>('since', at);
    return {
      streams: countOf(streams.map(({ how }) => how)),
      pauses: rising(streams.map(({ pauseMs }) => pauseMs)),
      statuses: countOf(requests.map(({ status }) => status)),
      times: rising(requests.map(({ ms }) => ms)),
      direct: rising(direct.map(({ ms }) => ms)),
    };
  }

  /** Waits until its last answers are there, and ends its process. */
  async end(): Promise<void> {
    await this.child.ask('end');
    await this.child.kill();
  }
}
