import { describe, expect, it } from 'vitest';
import { NumberScan } from './number-scan.js';

const MIB = 1024 * 1024;

/** What is found where the bytes come in pieces of this size. */
function found(json: string, size = json.length, name = 'count'): number | null {
  const bytes = Buffer.from(json);
  const scan = new NumberScan(name);
  for (let at = 0; at < bytes.length; at += size) scan.feed(bytes.subarray(at, at + size));
  return scan.value;
}

describe('the number of a field', () => {
  it.each([
    ['{"count":12,"tokens":[1,2]}', 12],
    [' {\n"tokens" : [ {"count":1}, "count", "\\"count\\":2" ] ,\t"count" :\n7 }', 7],
    ['{"a":{"count":3},"b":{},"c":[[]],"d":"","count":0}', 0],
    ['{"counts":1,"coun":2,"xcount":3,"count":4}', 4],
    ['{"é":"count","count":5}', 5],
    ['{"a":["\\n","\\\\",{"\\"}":1}],"count":6}', 6],
  ])('is found in %s, however its bytes are cut', (json, expected) => {
    for (let size = 1; size <= json.length; size += 1) expect(found(json, size), String(size)).toBe(expected);
  });

  it.each([
    '{"count":"12"}',
    '{"count":-1}',
    '{"count":1.5}',
    '{"count":1e3}',
    '{"count":9007199254740993}',
    '{"count":null}',
    '{"count":{"count":1}}',
    '{"count":12',
    '{"tokens":["count",1]}',
    '[{"count":1}]',
    '"count":1',
    '{}{"count":1}',
    '',
  ])('is none in %s', (json) => {
    expect(found(json)).toBeNull();
  });

  it('is found behind 16 MiB of objects without keeping any of them', () => {
    const piece = Buffer.from('{},'.repeat(MIB / 4));
    const scan = new NumberScan('count');
    scan.feed(Buffer.from('{"x":['));
    const before = process.memoryUsage().heapUsed;
    for (let fed = 0; fed < 16 * MIB; fed += piece.length) scan.feed(piece);
    // Parsed, they are some 500 MiB.
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(16 * MIB);
    expect(scan.feed(Buffer.from('{}],"count":9}'))).toBe(false);
    expect(scan.value).toBe(9);
  });
});
