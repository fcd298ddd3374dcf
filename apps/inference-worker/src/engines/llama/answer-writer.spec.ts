import type { StreamEvent } from '@slipway/contracts';
import type { Token } from 'node-llama-cpp';
import { describe, expect, it } from 'vitest';
import { AnswerWriter } from './answer-writer.js';

/** Tokens are indexes into a list of byte strings. */
function setUp(pieces: readonly (string | number[])[], stops: readonly string[] = [], ends: readonly string[] = [], max = 1_000) {
  const batches: (readonly StreamEvent[])[] = [];
  const bytes = {
    of: (token: Token) => (typeof pieces[token] === 'string' ? Buffer.from(pieces[token]) : Uint8Array.from(pieces[token] ?? [])),
  };
  const spec = { stop: stops, ends, maxTokens: max, reasoning: null, calls: null };
  const writer = new AnswerWriter(bytes, spec, 0, (e) => void batches.push(e));
  const write = (): boolean => pieces.some((_, i) => writer.write(i as Token));
  const events = (): StreamEvent[] => batches.flat();
  const counted = (): number => events().reduce((sum, event) => sum + (event.k === 'text' ? event.n : 0), 0);
  const text = (): string => events().reduce((all, event) => all + (event.k === 'text' ? event.x : ''), '');
  return { writer, write, batches, events, counted, text };
}

describe('AnswerWriter', () => {
  it('writes one batch for each token, the first one at once', () => {
    const { write, batches } = setUp(['Hel', 'lo']);
    expect(write()).toBe(false);
    expect(batches).toEqual([[{ k: 'text', x: 'Hel', n: 1 }], [{ k: 'text', x: 'lo', n: 1 }]]);
  });

  it('counts the end token, without text, together with the fin', () => {
    const { writer, write, batches, counted } = setUp(['Hi']);
    write();
    writer.end();
    expect(batches.at(-1)).toEqual([
      { k: 'text', x: '', n: 1 },
      { k: 'fin', r: 'stop' },
    ]);
    expect([writer.tokens, counted()]).toEqual([2, 2]);
  });

  it('counts tokens of a split character with the event that completes it', () => {
    const { write, batches } = setUp([[0xf0, 0x9f], [0x98], [0x80], '!']);
    write();
    expect(batches).toEqual([[{ k: 'text', x: '😀', n: 3 }], [{ k: 'text', x: '!', n: 1 }]]);
  });

  it('says which stop string ended the answer, and lets nothing of it out', () => {
    const { writer, write, batches, counted } = setUp(['one ', 'ST', 'OP two', ' three'], ['STOP']);
    expect(write()).toBe(true);
    expect(batches).toEqual([
      [{ k: 'text', x: 'one ', n: 1 }],
      [
        { k: 'text', x: '', n: 2 },
        { k: 'fin', r: 'stop_sequence', stop: 'STOP' },
      ],
    ]);
    expect([writer.tokens, counted()]).toEqual([3, 3]);
  });

  it('ends an answer at a mark of the template as if the model had ended it', () => {
    const { write, events } = setUp(['Hi', '<|im_', 'end|>'], [], ['<|im_end|>']);
    expect(write()).toBe(true);
    expect(events().at(-1)).toEqual({ k: 'fin', r: 'stop' });
  });

  it('gives out what was held back when the answer ends without the stop string', () => {
    const { writer, write, text, counted } = setUp(['a S', 'T'], ['STOP']);
    write();
    writer.end();
    expect([text(), counted()]).toEqual(['a ST', 3]);
  });

  it('ends with length at the limit, held text included, half characters dropped', () => {
    const { writer, write, events, text, counted } = setUp(['a S', [0xf0, 0x9f], 'never'], ['STOP'], [], 2);
    expect(write()).toBe(true);
    expect(events().at(-1)).toEqual({ k: 'fin', r: 'length' });
    expect([text(), counted(), writer.tokens]).toEqual(['a S', 2, 2]);
  });

  it('prefers the stop string to the limit when both come with one token', () => {
    const { write, events } = setUp(['x', 'STOP'], ['STOP'], [], 2);
    expect(write()).toBe(true);
    expect(events().at(-1)).toEqual({ k: 'fin', r: 'stop_sequence', stop: 'STOP' });
  });
});
