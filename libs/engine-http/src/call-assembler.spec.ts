import type { StreamEvent } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { CallAssembler } from './call-assembler.js';
import { BrokenStreamError } from './sse-reader.js';
import type { CallPiece } from './upstream-chunk.js';

type Piece = Partial<CallPiece>;
interface AssembledCall {
  readonly id: string;
  readonly name: string;
  readonly args: string;
}

const pieceOf = (piece: Piece): CallPiece => ({ index: null, id: '', name: '', args: '', ...piece });

/** Puts events together as a surface does, and insists on their order. */
function callsIn(events: readonly StreamEvent[]): AssembledCall[] {
  const calls: { id: string; name: string; args: string }[] = [];
  for (const event of events) {
    if (event.k === 'call') {
      expect(event.i).toBe(calls.length);
      calls.push({ id: event.id, name: event.name, args: '' });
    } else if (event.k === 'args') {
      expect(event.i).toBe(calls.length - 1);
      calls.at(-1)!.args += event.x;
    }
  }
  return calls;
}

function assemble(chunks: readonly (readonly Piece[])[], { cut = false, limit = Infinity } = {}): AssembledCall[] {
  const assembler = new CallAssembler(0, limit);
  const events = chunks.flatMap((pieces) => assembler.push(pieces.map(pieceOf)));
  return callsIn([...events, ...assembler.end(cut)]);
}

const PARIS = { id: 'a', name: 'weather', args: '{"city":"Paris"}' };
const ROME = { id: 'b', name: 'weather', args: '{"city":"Rome"}' };

describe('CallAssembler', () => {
  it.each<[string, Piece[][], AssembledCall[]]>([
    [
      'name first, then arguments in parts without an id',
      [[{ index: 0, id: 'a', name: 'weather' }], [{ index: 0, args: '{"city":' }], [{ index: 0, args: '"Paris"}' }]],
      [PARIS],
    ],
    ['name and whole arguments in one chunk', [[{ index: 0, ...PARIS }]], [PARIS]],
    ['arguments before the name', [[{ index: 0, id: 'a', args: '{"city":' }], [{ index: 0, name: 'weather', args: '"Paris"}' }]], [PARIS]],
    ['no number at all', [[{ id: 'a', name: 'weather' }], [{ args: '{"city":"Paris"}' }]], [PARIS]],
    [
      'id and name repeated with every piece',
      [[{ index: 0, id: 'a', name: 'weather', args: '{"city":' }], [{ index: 0, id: 'a', name: 'weather', args: '"Paris"}' }]],
      [PARIS],
    ],
    ['the name repeated without id and number', [[{ id: 'a', name: 'weather' }], [{ name: 'weather', args: '{"city":"Paris"}' }]], [PARIS]],
    ['numbers that begin at 1', [[{ index: 1, ...PARIS }], [{ index: 2, ...ROME }]], [PARIS, ROME]],
    ['the same number for every call', [[{ index: 0, ...PARIS }], [{ index: 0, ...ROME }]], [PARIS, ROME]],
    [
      'several calls in one chunk',
      [
        [
          { index: 0, ...PARIS },
          { index: 1, ...ROME },
        ],
      ],
      [PARIS, ROME],
    ],
    ['several calls without numbers', [[PARIS], [ROME]], [PARIS, ROME]],
    [
      'calls whose pieces are interleaved',
      [
        [{ index: 0, id: 'a', name: 'weather', args: '{"city"' }],
        [{ index: 1, id: 'b', name: 'weather', args: '{"city"' }],
        [{ index: 0, args: ':"Paris"}' }],
        [{ index: 1, args: ':"Rome"}' }],
      ],
      [PARIS, ROME],
    ],
    [
      'interleaved calls of which the second ends first',
      [[{ index: 0, id: 'a', name: 'weather', args: '{"city":' }], [{ index: 1, ...ROME }], [{ index: 0, args: '"Paris"}' }]],
      [PARIS, ROME],
    ],
    ['no arguments, which become an empty object', [[{ index: 0, id: 'a', name: 'now' }]], [{ id: 'a', name: 'now', args: '{}' }]],
    [
      'no arguments before another call',
      [[{ index: 0, id: 'a', name: 'now' }], [{ index: 1, ...ROME }]],
      [{ id: 'a', name: 'now', args: '{}' }, ROME],
    ],
    [
      'nested objects, whose braces end nothing',
      [[{ index: 0, id: 'a', name: 'f', args: '{"a":{}' }], [{ index: 0, args: ',"b":1}' }]],
      [{ id: 'a', name: 'f', args: '{"a":{},"b":1}' }],
    ],
  ])('makes calls of %s', (_name, chunks, calls) => {
    expect(assemble(chunks)).toEqual(calls);
  });

  it('separates two whole calls that have neither number nor id', () => {
    const calls = assemble([[{ name: 'weather', args: '{"city":"Paris"}' }], [{ name: 'weather', args: '{"city":"Rome"}' }]]);
    expect(calls.map(({ args }) => args)).toEqual([PARIS.args, ROME.args]);
  });

  it('makes an id where there is none, and another one where two calls share theirs', () => {
    const [none] = assemble([[{ index: 0, name: 'f' }]]);
    expect(none?.id).toMatch(/^call_[A-Za-z0-9]{24}$/);
    const [first, second] = assemble([
      [
        { index: 0, ...PARIS },
        { index: 1, ...ROME, id: 'a' },
      ],
    ]);
    expect(first?.id).toBe('a');
    expect(second?.id).toMatch(/^call_[A-Za-z0-9]{24}$/);
  });

  it('hands arguments on as they come, and keeps a call back only until its name is known', () => {
    const assembler = new CallAssembler(2, Infinity);
    expect(assembler.push([pieceOf({ index: 0, id: 'a', args: '{' })])).toEqual([]);
    expect(assembler.push([pieceOf({ index: 0, name: 'f' })])).toEqual([
      { k: 'call', c: 2, i: 0, id: 'a', name: 'f', n: 1 },
      { k: 'args', c: 2, i: 0, x: '{', n: 1 },
    ]);
    expect(assembler.push([pieceOf({ index: 0, args: '}' })])).toEqual([{ k: 'args', c: 2, i: 0, x: '}', n: 1 }]);
    expect(assembler.end(false)).toEqual([]);
  });

  it.each([
    ['cut off', '{"city":"Par'],
    ['a list', '["Paris"]'],
    ['a string', '"Paris"'],
    ['null', 'null'],
    ['two objects', '{}{}'],
    ['no JSON', 'city=Paris'],
  ])('refuses arguments that are %s instead of repairing them', (_name, args) => {
    expect(() => assemble([[{ index: 0, id: 'a', name: 'f', args }]])).toThrow(expect.objectContaining({ code: 'engine_error' }));
  });

  it('refuses a call that never got a name', () => {
    expect(() => assemble([[{ index: 0, id: 'a', args: '{}' }]])).toThrow(expect.objectContaining({ code: 'engine_error' }));
  });

  it('hands on what there is of a call that a limit cut, and adds nothing to it', () => {
    expect(assemble([[{ index: 0, id: 'a', name: 'f', args: '{"x":"y' }]], { cut: true })).toEqual([
      { id: 'a', name: 'f', args: '{"x":"y' },
    ]);
    expect(assemble([[{ index: 0, id: 'a', name: 'f' }]], { cut: true })).toEqual([{ id: 'a', name: 'f', args: '' }]);
    expect(assemble([[{ index: 0, args: '{' }]], { cut: true })).toEqual([]);
  });

  it('hands on no more calls than were wanted', () => {
    expect(
      assemble(
        [
          [
            { index: 0, ...PARIS },
            { index: 1, ...ROME },
          ],
        ],
        { limit: 1 },
      ),
    ).toEqual([PARIS]);
  });

  it('joins a character whose halves come in two pieces', () => {
    const [call] = assemble([[{ index: 0, id: 'a', name: 'f', args: '{"x":"\ud83d' }], [{ index: 0, args: '\ude00"}' }]]);
    expect(call?.args).toBe('{"x":"😀"}');
  });

  it('is not to be flooded', () => {
    const many = Array.from({ length: 200 }, (_, index) => ({ index, id: `${index}`, name: 'f', args: '{}' }));
    expect(() => assemble([many])).toThrow(BrokenStreamError);
    const long = Array.from({ length: 9 }, () => [{ index: 0, id: 'a', name: 'f', args: 'x'.repeat(1024 * 1024) }]);
    expect(() => assemble(long)).toThrow(BrokenStreamError);
  });

  it('may have arguments as long as the largest event, in one piece or in many', () => {
    const args = JSON.stringify({ x: 'y'.repeat(7 * 1024 * 1024) });
    const pieces = [args.slice(0, 5_000_000), args.slice(5_000_000)];
    for (const parts of [[args], pieces]) {
      const [call] = assemble(parts.map((part) => [{ index: 0, id: 'a', name: 'f', args: part }]));
      expect(call?.args === args).toBe(true);
    }
  });
});
