import { chatChunk, sseEvent, type UpstreamScript, type UpstreamStep, usageChunk } from '@slipway/testing';
import { setTimeout as delay } from 'node:timers/promises';
import OpenAI from 'openai';
import { streamedAnswer } from '../e2e/streamed-answer.js';
import type { ClientRig, Tenant } from './client-rig.js';

const STREAMS = 20;
const TOKENS = 60;
const TOKEN_PAUSE_MS = 50;
const REQUEST_PAUSE_MS = 200;
const SHORT = 'short';

const WORDS = Array.from({ length: TOKENS }, (_, nth) => `t${nth} `);

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
}

/** Answers of an engine at the pace of a large model; at once to who asks for a short one. */
export function pacedAnswer(body: unknown): UpstreamScript {
  const { messages } = body as { messages: { content: string }[] };
  const isShort = messages.at(-1)?.content === SHORT;
  const words = isShort ? ['yes'] : WORDS;
  const tokens = words.flatMap((content): UpstreamStep[] => [...(isShort ? [] : [{ pauseMs: TOKEN_PAUSE_MS }]), chatChunk({ content })]);
  return {
    steps: [
      chatChunk({ role: 'assistant', content: '' }),
      ...tokens,
      chatChunk({}, 'stop'),
      usageChunk(3, words.length),
      sseEvent('[DONE]'),
    ],
  };
}

/** Counts how often each word occurs. */
export function countOf(words: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}

/** A tenant that goes about its business at all gateways, 20 streams and 5 short requests a second, and takes down what it notices. */
export class Bystander {
  #over = false;
  #streams: { at: number; how: string; pauseMs: number }[] = [];
  #requests: { at: number; status: string; ms: number }[] = [];
  readonly #running: Promise<void>[] = [];

  constructor(
    private readonly rig: ClientRig,
    private readonly tenant: Tenant,
    private readonly path: string,
  ) {}

  start(): void {
    for (let nth = 0; nth < STREAMS; nth += 1) this.#running.push(this.#stream(nth));
    this.#running.push(this.#ask());
  }

  async end(): Promise<void> {
    this.#over = true;
    await Promise.all(this.#running);
  }

  /** What began at that time or later and has ended, on the clock of `performance.now()`. */
  since(at: number): Noticed {
    const streams = this.#streams.filter((one) => one.at >= at);
    const requests = this.#requests.filter((one) => one.at >= at);
    const rising = (values: readonly number[]): number[] => values.toSorted((a, b) => a - b);
    return {
      streams: countOf(streams.map(({ how }) => how)),
      pauses: rising(streams.map(({ pauseMs }) => pauseMs)),
      statuses: countOf(requests.map(({ status }) => status)),
      times: rising(requests.map(({ ms }) => ms)),
    };
  }

  #gateway(nth: number): string {
    return this.rig.gateways[nth % this.rig.gateways.length] ?? '';
  }

  async #stream(nth: number): Promise<void> {
    const baseURL = `${this.#gateway(nth)}/${this.path}/v1`;
    const client = new OpenAI({ baseURL, apiKey: this.tenant.key.value, maxRetries: 0 });
    while (!this.#over) {
      const at = performance.now();
      let [last, pauseMs] = [at, 0];
      const { text, finish, error } = await streamedAnswer(client, this.path, [{ role: 'user', content: 'long' }], () => {
        const now = performance.now();
        if (last !== at) pauseMs = Math.max(pauseMs, now - last);
        last = now;
      });
      const isWhole = text === WORDS.join('') && finish === 'stop';
      const wrong = error instanceof Error ? error.message : 'cut';
      this.#streams.push({ at, pauseMs, how: error === null && isWhole ? 'whole' : wrong });
      if (error !== null) await delay(REQUEST_PAUSE_MS);
    }
  }

  async #ask(): Promise<void> {
    const body = JSON.stringify({ model: this.path, messages: [{ role: 'user', content: SHORT }] });
    const headers = { authorization: `Bearer ${this.tenant.key.value}`, 'content-type': 'application/json' };
    const asked: Promise<void>[] = [];
    for (let nth = 0; !this.#over; nth += 1) {
      asked.push(this.#one(`${this.#gateway(nth)}/${this.path}/v1/chat/completions`, { method: 'POST', headers, body }));
      await delay(REQUEST_PAUSE_MS);
    }
    await Promise.all(asked);
  }

  async #one(url: string, request: RequestInit): Promise<void> {
    const at = performance.now();
    const status = await fetch(url, request).then(
      async (response) => {
        await response.text();
        return String(response.status);
      },
      () => 'none',
    );
    this.#requests.push({ at, status, ms: performance.now() - at });
  }
}
