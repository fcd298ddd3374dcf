import { describe, expect, it } from 'vitest';
import { parseExactly } from './json/exact-parser.js';
import { validated } from './validated.fixture.js';

const SEEDS = [
  '{"messages":[{"role":"system","content":"s"},{"role":"user","content":"q\\n\\u00e9 😀"},{"role":"assistant","content":"a","weight":1}]}',
  '{"messages":[{"role":"user","content":"q"},{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{\\"x\\":1.0,\\"y\\":[true,null]}"}}]},{"role":"tool","tool_call_id":"c","content":"r"},{"role":"assistant","content":"b"}],"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object"}}}]}',
  '{"prompt":[{"role":"user","content":"q"}],"chosen":"good","rejected":[{"role":"assistant","content":"bad"}]}',
  '{"conversations":[{"from":"human","value":"q"},{"from":"function_call","value":"{\\"name\\":\\"f\\",\\"arguments\\":{}}"},{"from":"gpt","value":"a"}],"tools":"[{\\"name\\":\\"f\\"}]"}',
  '{"instruction":"i","input":"x","output":"o","history":[["a","b"]],"system":"s"}',
  'prompt,completion\r\n"q, ""x""\r\ny",a\r\nq2,"b"\r\n',
];
const PIECES = [
  '"',
  '\\',
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '0',
  '-1e5',
  'null',
  '\\ud800',
  '\\u0000',
  '\u202e',
  'é',
  '\r',
  ' ',
  'role',
  '""',
  '[]',
  '{}',
];

/** Numbers by mulberry32, so that a failure can be run again. */
function random(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

function changed(text: string, next: (below: number) => number): string {
  let out = text;
  for (let i = next(3); i >= 0; i -= 1) {
    const from = next(out.length + 1);
    const to = Math.min(out.length, from + next(4));
    out = out.slice(0, from) + (next(4) === 0 ? '' : (PIECES[next(PIECES.length)] ?? '')) + out.slice(to);
  }
  return out;
}

/** Changed lines of one seed, none of them blank. */
const changedLines = (seed: string, count: number, from: number): string[] =>
  Array.from({ length: count }, (_, i) => changed(seed, random(from + i))).filter((line) => line.trim() !== '');

describe('changed lines', () => {
  it.each(SEEDS.slice(0, -1).map((seed, n) => ({ n, seed })))(
    'of seed $n are kept or refused, and what is kept stays as it is',
    async ({ seed }) => {
      const lines = changedLines(seed, 500, 1);
      const {
        result,
        lines: kept,
        rejected,
      } = await validated([...Array.from({ length: 100 }, () => seed), ...lines].join('\n'), {}, 65_536);
      expect(result.examples + result.rejected).toBe(100 + lines.length);
      expect([kept.length, rejected.length]).toEqual([result.examples, result.rejected]);
      expect(result.issues.every(({ line }) => line >= 0 && line <= 100 + lines.length)).toBe(true);
      const again = await validated(kept.join('\n'), {}, 65_536);
      expect(again.result.rejected).toBe(0);
      expect(again.lines).toEqual(kept);
      expect(again.result.statistics).toEqual(result.statistics);
    },
  );

  it('of CSV are read without an error of ours', async () => {
    const states = new Set<string>();
    for (let i = 0; i < 300; i += 1) states.add((await validated(changed(SEEDS.at(-1) ?? '', random(i)), { format: 'csv' })).result.state);
    expect([...states].sort()).toEqual(['invalid', 'ready']);
  });

  it('are JSON for the exact parser where they are for JSON.parse', () => {
    const differences = SEEDS.flatMap((seed) => changedLines(seed, 1_000, 9)).filter((line) => {
      let value: unknown;
      try {
        value = JSON.parse(line);
      } catch {
        return 'value' in parseExactly(line, 64);
      }
      const exact = parseExactly(line, 64);
      return 'value' in exact ? JSON.stringify(exact.value) !== JSON.stringify(value) : exact.rule !== 'duplicate_key';
    });
    expect(differences).toEqual([]);
  });
});
