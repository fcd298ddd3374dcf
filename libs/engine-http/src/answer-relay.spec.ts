import type { StreamEvent } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { AnswerRelay, type AnswerRelayOptions } from './answer-relay.js';
import type { ChoiceDelta, UpstreamUsage } from './upstream-chunk.js';

const NOTHING: ChoiceDelta = { index: 0, text: '', think: '', calls: [], logprobs: null, finish: null, stop: null };
const usage = (prompt: number, completion: number, cached: number | null = null): UpstreamUsage => ({
  prompt,
  completion,
  cached,
  reasoning: null,
});

type Chunk = Partial<ChoiceDelta> & { usage?: UpstreamUsage };

function setUp(options: Partial<AnswerRelayOptions> = {}) {
  const steps: (readonly StreamEvent[])[] = [];
  const relay = new AnswerRelay({
    output: { account: null, phase: () => undefined, events: (batch) => void steps.push(batch) },
    choices: 1,
    estimatedPrompt: 11,
    stops: [],
    tellsStop: true,
    calls: null,
    logprobs: null,
    echo: '',
    countsApart: false,
    ...options,
  });
  const add = ({ usage: figures, ...delta }: Chunk): void =>
    relay.take({ model: null, choices: [{ ...NOTHING, ...delta }], usage: figures ?? null, error: null });
  const take = (...chunks: Chunk[]): void => {
    for (const chunk of chunks) add(chunk);
    relay.flush();
  };
  return { relay, add, take, steps, events: () => steps.flat() };
}

describe('AnswerRelay', () => {
  it('gives start, text and fin in the shapes of every engine', () => {
    const { take, events } = setUp();
    take({}, { think: 'hm' }, { text: 'Hi' }, { finish: 'stop' });
    expect(events()).toEqual([
      { k: 'start', prompt: 11 },
      { k: 'think', x: 'hm', n: 1 },
      { k: 'text', x: 'Hi', n: 1 },
      { k: 'fin', r: 'stop' },
    ]);
  });

  it('hands on together what arrived together, and nothing twice', () => {
    const { relay, add, steps } = setUp();
    add({ text: 'a' });
    add({ text: 'b' });
    relay.flush();
    relay.flush();
    add({ finish: 'stop' });
    relay.flush();
    expect(steps).toEqual([
      [
        { k: 'start', prompt: 11 },
        { k: 'text', x: 'ab', n: 2 },
      ],
      [{ k: 'fin', r: 'stop' }],
    ]);
  });

  it('joins text that arrived together, of one kind and one choice, and tokens still add up', () => {
    const { relay, take, events } = setUp({ choices: 2 });
    const of = (index: number, delta: Partial<ChoiceDelta>): Chunk => ({ index, ...delta });
    take(
      of(0, { think: 'h' }),
      of(0, { think: 'm' }),
      of(0, { text: 'a' }),
      of(0, { text: 'b' }),
      of(1, { text: 'c' }),
      of(1, { text: 'd' }),
    );
    take(of(1, { text: 'e' }), of(0, { text: 'f' }));
    expect(events()).toEqual([
      { k: 'start', prompt: 11 },
      { k: 'think', x: 'hm', n: 2 },
      { k: 'text', x: 'ab', n: 2 },
      { k: 'text', c: 1, x: 'cd', n: 2 },
      { k: 'text', c: 1, x: 'e', n: 1 },
      { k: 'text', x: 'f', n: 1 },
    ]);
    expect(relay.usage().completion).toBe(8);
  });

  it('keeps tokens apart whose probabilities were asked for', () => {
    const { take, events } = setUp({ logprobs: 0 });
    take({ text: 'a', logprobs: [{ t: 'a', p: -1 }] }, { text: 'b', logprobs: [{ t: 'b', p: -2 }] }, { text: 'c' });
    expect(events().slice(1)).toEqual([
      { k: 'text', x: 'a', n: 1, lp: [{ t: 'a', p: -1 }] },
      { k: 'text', x: 'b', n: 1, lp: [{ t: 'b', p: -2 }] },
      { k: 'text', x: 'c', n: 1 },
    ]);
  });

  it('joins no more than fits into a frame many times, and loses nothing of it', () => {
    const { take, events } = setUp();
    const pieces = Array.from({ length: 3_000 }, (_, i) => ({ text: `${i}, eight or more characters; ` }));
    take(...pieces);
    const texts = events().flatMap((event) => (event.k === 'text' ? [event.x] : []));
    expect(texts.join('')).toBe(pieces.map(({ text }) => text).join(''));
    expect(Math.max(...texts.map((text) => text.length))).toBeLessThanOrEqual(8_192);
    expect(texts.length).toBeLessThan(20);
  });

  it('reports the last usage of the server, wherever it came', () => {
    const { relay, take } = setUp();
    take({ text: 'a', usage: usage(9, 1) }, { text: 'b', finish: 'stop', usage: usage(9, 2) }, { usage: usage(9, 3, 4) });
    expect(relay.usage()).toEqual({ prompt: 9, cached: 4, completion: 3 });
  });

  it('marks its own count as an estimate when the server never counts', () => {
    const { relay, take } = setUp();
    take({ text: 'a' }, { text: 'b' }, { finish: 'length' });
    expect(relay.usage()).toEqual({ prompt: 11, cached: 0, completion: 2, estimated: true });
  });

  it('charges nothing for a request that never produced anything', () => {
    expect(setUp().relay.usage()).toEqual({ prompt: 0, cached: 0, completion: 0, estimated: true });
  });

  it('names the stop string only when it is one that was asked for', () => {
    const asked = setUp({ stops: ['END'] });
    asked.take({ finish: 'stop', stop: 'END' });
    expect(asked.events().at(-1)).toEqual({ k: 'fin', r: 'stop_sequence', stop: 'END' });
    const other = setUp({ stops: ['END'] });
    other.take({ finish: 'stop', stop: '<|im_end|>' });
    expect(other.events().at(-1)).toEqual({ k: 'fin', r: 'stop' });
  });

  it('joins a character whose halves come in two chunks, and drops lone halves', () => {
    const { take, events } = setUp();
    take({ text: 'a\ud83d' }, { text: '\ude00b' }, { text: '\ud83d' }, { text: 'c\ude00' }, { text: '\ud83d', finish: 'stop' });
    const text = events().reduce<string>((all, event) => all + (event.k === 'text' ? event.x : ''), '');
    expect(text).toBe('a😀bc');
    for (const event of events()) if (event.k === 'text') expect(/\p{Surrogate}/u.test(event.x)).toBe(false);
  });

  it('relays nothing after the end but listens for usage', () => {
    const { relay, take, events } = setUp();
    take({ text: 'a' }, { finish: 'stop' }, { text: 'late' }, { finish: 'length', usage: usage(1, 2) });
    expect(events().filter((event) => event.k === 'fin')).toEqual([{ k: 'fin', r: 'stop' }]);
    expect(events().some((event) => event.k === 'text' && event.x === 'late')).toBe(false);
    expect(relay.usage()).toMatchObject({ completion: 2 });
  });

  it('never reports more cached than prompt tokens', () => {
    const { relay, take } = setUp();
    take({ finish: 'stop', usage: usage(5, 1, 50) });
    expect(relay.usage()).toMatchObject({ prompt: 5, cached: 5 });
  });

  it('keeps choices apart, each with its own end, and is finished with the last of them', () => {
    const { relay, take, events } = setUp({ choices: 2 });
    take({ index: 1, text: 'b' }, { index: 0, text: 'a' }, { index: 1, finish: 'length' }, { index: 1, text: 'late' });
    expect(relay.finished).toBe(false);
    take({ index: 0, finish: 'stop' }, { index: 2, text: 'not asked for' });
    expect(relay.finished).toBe(true);
    expect(events()).toEqual([
      { k: 'start', prompt: 11 },
      { k: 'text', c: 1, x: 'b', n: 1 },
      { k: 'text', x: 'a', n: 1 },
      { k: 'fin', c: 1, r: 'length' },
      { k: 'fin', r: 'stop' },
    ]);
  });

  it.each([
    ['stop', 'tool_calls'],
    ['tool_calls', 'tool_calls'],
    ['length', 'length'],
  ] as const)('ends an answer with calls that the server ends with %s as %s', (finish, expected) => {
    const { take, events } = setUp();
    take({ calls: [{ index: 0, id: 'a', name: 'f', args: '{}' }] }, { finish });
    expect(events().at(-1)).toEqual({ k: 'fin', r: expected });
  });

  it('does not believe in calls that never came', () => {
    const { take, events } = setUp();
    take({ text: 'a' }, { finish: 'tool_calls' });
    expect(events().at(-1)).toEqual({ k: 'fin', r: 'stop' });
  });

  it('ends a text at a stop string that it looks for itself, which is no part of it, and knows that the server goes on', () => {
    const { relay, take, events } = setUp({ stops: ['END', 'E!'], tellsStop: false });
    take({ think: 'END of thoughts' }, { text: 'one E' }, { text: 'N' });
    expect(events().map((event) => ('x' in event ? event.x : ''))).toEqual(['', 'END of thoughts', 'one ']);
    take({ text: 'D two' }, { text: 'three' });
    expect(events().at(-1)).toEqual({ k: 'fin', r: 'stop_sequence', stop: 'END' });
    expect([relay.finished, relay.overdue]).toEqual([true, true]);
  });

  it('hands on what it held back for a stop string that did not come', () => {
    const { relay, take, events } = setUp({ stops: ['END'], tellsStop: false });
    take({ text: 'an E' });
    take({ finish: 'stop' });
    expect(events().map((event) => ('x' in event ? event.x : ''))).toEqual(['', 'an ', 'E', '']);
    expect(relay.overdue).toBe(false);
  });

  it('gives probabilities with the text that they belong to, as many alternatives as were wanted', () => {
    const { take, events } = setUp({ logprobs: 1 });
    const top = [
      { t: 'a', p: -1 },
      { t: 'b', p: -2 },
    ];
    const half = { t: '', p: -3, b: [0xc3] };
    take({ think: 'hm', logprobs: [{ t: 'hm', p: -9 }] }, { logprobs: [half] }, { text: 'é', logprobs: [{ t: 'é', p: -1, top }] });
    expect(events().at(-1)).toEqual({ k: 'text', x: 'é', n: 1, lp: [half, { t: 'é', p: -1, top: [{ t: 'a', p: -1 }] }] });
    const none = setUp({ logprobs: 0 });
    none.take({ text: 'a', logprobs: [{ t: 'a', p: -1, top }] });
    expect(none.events().at(-1)).toEqual({ k: 'text', x: 'a', n: 1, lp: [{ t: 'a', p: -1 }] });
    const unasked = setUp();
    unasked.take({ text: 'a', logprobs: [{ t: 'a', p: -1 }] });
    expect(unasked.events().at(-1)).toEqual({ k: 'text', x: 'a', n: 1 });
  });

  it('reports the prompt at the start where it is known', () => {
    const { take, events } = setUp();
    take({ text: 'a', usage: usage(9, 1, 4) });
    expect(events()[0]).toEqual({ k: 'start', prompt: 9, cached: 4 });
  });

  it('gives text, reasoning, calls and the end of one chunk in that order', () => {
    const { take, events } = setUp();
    take({ text: 'x', think: 't', calls: [{ index: 0, id: 'a', name: 'f', args: '{}' }], finish: 'stop' });
    expect(events().map(({ k }) => k)).toEqual(['start', 'think', 'text', 'call', 'args', 'fin']);
  });

  it('adds up what a server counts for each choice by itself, and estimates while one is missing', () => {
    const { relay, take } = setUp({ choices: 2, countsApart: true });
    take({ text: 'a' }, { index: 1, text: 'b' }, { finish: 'stop', usage: usage(9, 3, 2) });
    expect(relay.usage()).toEqual({ prompt: 9, cached: 2, completion: 2, estimated: true });
    take({ index: 1, finish: 'stop', usage: usage(9, 4, 8) });
    expect(relay.usage()).toEqual({ prompt: 9, cached: 2, completion: 7 });
  });

  it('hands on no beginning that the server repeats', () => {
    const { take, events } = setUp({ echo: 'I am' });
    take({ text: 'I am the' });
    take({ text: ' one' });
    take({ finish: 'stop' });
    expect(events().map((event) => ('x' in event ? event.x : ''))).toEqual(['', ' the', ' one', '']);
  });
});
