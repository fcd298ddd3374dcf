import type { StreamEvent } from '@slipway/contracts';
import type { Token } from 'node-llama-cpp';
import { describe, expect, it } from 'vitest';
import { type AnswerSpec, AnswerWriter } from './answer-writer.js';
import { familyNamed } from './tool-calls/detect-family.js';

const HERMES = familyNamed('hermes');
const MISTRAL = familyNamed('mistral');

/** Tokens are indexes into `pieces`. */
function setUp(pieces: readonly (string | number[])[], changes: Partial<AnswerSpec> = {}) {
  const batches: (readonly StreamEvent[])[] = [];
  const bytes = {
    of: (token: Token) => (typeof pieces[token] === 'string' ? Buffer.from(pieces[token]) : Uint8Array.from(pieces[token] ?? [])),
  };
  const spec: AnswerSpec = { stop: [], ends: [], maxTokens: 1_000, reasoning: null, calls: null, ...changes };
  const writer = new AnswerWriter(bytes, spec, 0, (e) => void batches.push(e));
  const write = (): boolean => pieces.some((_, i) => writer.write(i as Token));
  const events = (): StreamEvent[] => batches.flat();
  const counted = (): number => events().reduce((sum, event) => sum + (event.k === 'text' ? event.n : 0), 0);
  const text = (): string => events().reduce((all, event) => all + (event.k === 'text' ? event.x : ''), '');
  return { writer, write, batches, events, counted, text };
}

describe('AnswerWriter', () => {
  it('writes one batch per token at once', () => {
    const { write, batches } = setUp(['Hel', 'lo']);
    expect(write()).toBe(false);
    expect(batches).toEqual([[{ k: 'text', x: 'Hel', n: 1 }], [{ k: 'text', x: 'lo', n: 1 }]]);
  });

  it('counts the end token with the fin', () => {
    const { writer, write, batches, counted } = setUp(['Hi']);
    write();
    writer.end();
    expect(batches.at(-1)).toEqual([
      { k: 'text', x: '', n: 1 },
      { k: 'fin', r: 'stop' },
    ]);
    expect([writer.tokens, counted()]).toEqual([2, 2]);
  });

  it('counts split characters with their completing event', () => {
    const { write, batches } = setUp([[0xf0, 0x9f], [0x98], [0x80], '!']);
    write();
    expect(batches).toEqual([[{ k: 'text', x: '😀', n: 3 }], [{ k: 'text', x: '!', n: 1 }]]);
  });

  it('names the stop string and hides it', () => {
    const { writer, write, batches, counted } = setUp(['one ', 'ST', 'OP two', ' three'], { stop: ['STOP'] });
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

  it('ends an answer at an end mark', () => {
    const { write, events } = setUp(['Hi', '<|im_', 'end|>'], { ends: ['<|im_end|>'] });
    expect(write()).toBe(true);
    expect(events().at(-1)).toEqual({ k: 'fin', r: 'stop' });
  });

  it('ends nothing before the least number of tokens', () => {
    const pieces = ['<|im_end|>', 'STOP', ' a', '<|im_end|>'];
    const { write, text, events } = setUp(pieces, { ends: ['<|im_end|>'], stop: ['STOP'], minTokens: 4 });
    expect(write()).toBe(true);
    expect([text(), events().at(-1)]).toEqual(['<|im_end|>STOP a', { k: 'fin', r: 'stop' }]);
    const call = '<tool_call>{"name": "f", "arguments": {}}';
    const calls = setUp([call, '</tool_call>', call, '</tool_call> x'], {
      calls: { family: HERMES, tools: [{ name: 'f' }, { name: 'g' }], single: true },
      minTokens: 4,
    });
    expect([calls.write(), calls.writer.tokens]).toEqual([true, 4]);
    expect([calls.text(), calls.events().filter(({ k }) => k === 'call').length]).toEqual(['', 1]);
    expect(calls.events().at(-1)).toEqual({ k: 'fin', r: 'tool_calls' });
  });

  it('releases held text when the answer ends', () => {
    const { writer, write, text, counted } = setUp(['a S', 'T'], { stop: ['STOP'] });
    write();
    writer.end();
    expect([text(), counted()]).toEqual(['a ST', 3]);
  });

  it('ends with length and drops an incomplete character', () => {
    const { writer, write, events, text, counted } = setUp(['a S', [0xf0, 0x9f], 'never'], { stop: ['STOP'], maxTokens: 2 });
    expect(write()).toBe(true);
    expect(events().at(-1)).toEqual({ k: 'fin', r: 'length' });
    expect([text(), counted(), writer.tokens]).toEqual(['a S', 2, 2]);
  });

  it('prefers the stop string to the limit', () => {
    const { write, events } = setUp(['x', 'STOP'], { stop: ['STOP'], maxTokens: 2 });
    expect(write()).toBe(true);
    expect(events().at(-1)).toEqual({ k: 'fin', r: 'stop_sequence', stop: 'STOP' });
  });
});

describe('AnswerWriter with reasoning and calls', () => {
  const more: Partial<AnswerSpec> = {
    reasoning: { marks: { open: '<think>', close: '</think>' }, opened: false },
    calls: { family: HERMES, tools: [{ name: 'f' }], single: false },
  };
  const call = ['<tool_call>', '{"name": "f", ', '"arguments": ', '{"a"', ': "STOP"}', '}', '</tool_call>'];
  const total = (events: readonly StreamEvent[]): number => events.reduce((sum, event) => sum + ('n' in event ? event.n : 0), 0);

  it('separates reasoning, text and calls, counting tokens once', () => {
    const { writer, write, events } = setUp(['<think>', 'Hm', '</think>', '\n', 'So:', ...call], { stop: ['STOP'], ...more });
    expect(write()).toBe(false);
    writer.end();
    const kinds = events().map((event) => [event.k, 'x' in event ? event.x : '']);
    expect(kinds).toEqual([
      ['think', 'Hm'],
      ['text', 'So:'],
      ['call', ''],
      ['args', '{"a"'],
      ['args', ': "STOP"}'],
      ['args', ''],
      ['fin', ''],
    ]);
    expect(events().at(-1)).toEqual({ k: 'fin', r: 'tool_calls' });
    expect([total(events()), writer.tokens, writer.reasoned]).toEqual([13, 13, 2]);
  });

  it('finds stop strings in text only', () => {
    const stopped = setUp(['a ST', 'OP b', ...call], { stop: ['STOP'], ...more });
    expect(stopped.write()).toBe(true);
    expect([stopped.text(), stopped.events().at(-1)]).toEqual(['a ', { k: 'fin', r: 'stop_sequence', stop: 'STOP' }]);
    const held = setUp(['a ST', ...call], { stop: ['STOP'], ...more });
    held.write();
    held.writer.end();
    expect([held.text(), held.events().at(-1)]).toEqual(['a ST', { k: 'fin', r: 'tool_calls' }]);
  });

  it('ends after the only allowed call', () => {
    const { write, events } = setUp([...call, ' more', ...call], {
      calls: { family: HERMES, tools: [{ name: 'f' }, { name: 'g' }], single: true },
    });
    expect(write()).toBe(true);
    expect(events().filter(({ k }) => k === 'call')).toHaveLength(1);
    expect(events().at(-1)).toEqual({ k: 'fin', r: 'tool_calls' });
  });

  it.each([', {"name": "g", "argu', ', {"name": "g", "arguments": {}}]', ', oops', '] and words'])(
    'drops text after the only call: %s',
    (rest) => {
      const pieces = ['[TOOL_CALLS][{"name": "f", "arguments": {"a"', `: 1}}${rest}`];
      const { write, text, events } = setUp(pieces, { calls: { family: MISTRAL, tools: [{ name: 'f' }, { name: 'g' }], single: true } });
      expect(write()).toBe(true);
      expect(events().flatMap((event) => (event.k === 'call' ? [event.name] : []))).toEqual(['f']);
      expect([text(), events().at(-1)]).toEqual(['', { k: 'fin', r: 'tool_calls' }]);
    },
  );

  it('fails on other content in a call list', () => {
    const pieces = ['[TOOL_CALLS][{"name": "f", "arguments": {}}, ', '{"city": 1}', ']'];
    const calls = { family: MISTRAL, tools: [{ name: 'f' }, { name: 'g' }], single: false };
    const broken = setUp(pieces, { calls });
    broken.write();
    expect(() => broken.writer.end()).toThrow(expect.objectContaining({ code: 'engine_error' }) as Error);
    const cut = setUp(pieces, { calls, maxTokens: 3 });
    expect([cut.write(), cut.events().at(-1)]).toEqual([true, { k: 'fin', r: 'length' }]);
  });

  it('gives empty arguments an empty object', () => {
    const { write, events } = setUp(['<tool_call>{"name": "f", "arguments": ""}</tool_call>'], more);
    write();
    expect(events().flatMap((event) => (event.k === 'args' ? [event.x] : []))).toEqual(['{}']);
  });

  it('drops white space around calls only', () => {
    const around = setUp(['\n', ...call, '\n', ...call, ' \n'], more);
    around.write();
    around.writer.end();
    expect([around.text(), around.events().filter(({ k }) => k === 'call').length]).toEqual(['', 2]);
    const alone = setUp([' ', '\n'], more);
    alone.write();
    alone.writer.end();
    expect([alone.text(), alone.events().at(-1)]).toEqual([' \n', { k: 'fin', r: 'stop' }]);
  });

  it('fails on a call that stays incomplete', () => {
    const broken = setUp(call.slice(0, 5), more);
    broken.write();
    expect(() => broken.writer.end()).toThrow(expect.objectContaining({ code: 'engine_error' }) as Error);
    const invalid = setUp(['<tool_call>{"name": "f", "arguments": {a: 1}}'], more);
    expect(() => invalid.write()).toThrow(expect.objectContaining({ code: 'engine_error' }) as Error);
    const cut = setUp(call, { maxTokens: 5, ...more });
    expect(cut.write()).toBe(true);
    expect(cut.events().at(-1)).toEqual({ k: 'fin', r: 'length' });
  });

  it('gives log probabilities of text alone', () => {
    const harmony = familyNamed('harmony');
    const framed = ['<|channel|>', 'final', '<|message|>', 'No', 'on', [0xf0, 0x9f], [0x98, 0x80], '<|end|>'];
    const plain = ['<think>', 'Hm', '</think>', '\n\n', 'So', ' ST', '!', ...call];
    const logged = (pieces: readonly (string | number[])[], changes: Partial<AnswerSpec>): number[] => {
      const { writer, events } = setUp(pieces, changes);
      for (const token of pieces.keys()) writer.write(token as Token, { t: '', p: token });
      writer.end();
      return events()
        .flatMap((event) => (event.k === 'text' ? (event.lp ?? []) : []))
        .map(({ p }) => p);
    };
    expect(logged(framed, { calls: { family: harmony, tools: [], single: false } })).toEqual([3, 4, 5, 6]);
    expect(logged(plain, { stop: ['STOP'], ...more })).toEqual([4, 5, 6]);
    expect(logged(['a', [0xf0, 0x9f]], {})).toEqual([0, 1]);
  });

  it('gives missing arguments an empty object', () => {
    const { write, events } = setUp(['<tool_call>{"name": "f"}</tool_call>'], more);
    write();
    expect(events().filter(({ k }) => k === 'args')).toEqual([{ k: 'args', i: 0, x: '{}', n: 0 }]);
  });
});
