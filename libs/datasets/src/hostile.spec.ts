import { describe, expect, it } from 'vitest';
import { chatLine, validated } from './validated.fixture.js';

const repeated = (text: string, bytes = 1_000_000) => text.repeat(Math.floor(bytes / Buffer.byteLength(text)));
const call = { role: 'assistant', tool_calls: [{ function: { name: 'f', arguments: '{}' } }] };

/** Lines of nearly 1 MiB that would take minutes if any check took more than linear time. */
const LINES: readonly (readonly [name: string, line: string])[] = [
  ['tag characters behind a flag', chatLine(`\u{1f3f4}${repeated('\u{e0061}')}`, 'a')],
  ['beginnings of JSON web tokens', chatLine(repeated('-eyJ'), 'a')],
  ['beginnings of private keys', chatLine(repeated('-----BEGIN A '), 'a')],
  ['beginnings of Slipway keys', chatLine(repeated('svc_dep_'), 'a')],
  ['calls without answers', JSON.stringify({ messages: [{ role: 'user', content: 'q' }, ...Array.from({ length: 9_000 }, () => call)] })],
  ['keys of one object', `{${Array.from({ length: 80_000 }, (_, i) => `"k${i}":1`).join(',')}}`],
  ['keys that repeat', `{${'"a":1,'.repeat(100_000)}"b":1}`],
  ['numbers that must be kept', chatLine('q', 'a').replace('}]}', `}],"tools":[{"function":{"name":"f","x":[${repeated('1.0,')}1]}}]}`)],
  ['nesting around numbers', `${'{"a":'.repeat(60)}[${repeated('1.0,')}1]${'}'.repeat(60)}`],
  ['quotes', repeated('"')],
  ['brackets', repeated('[{')],
  ['backslashes', `{"messages":"${repeated('\\')}`],
  ['escapes', chatLine(repeated('\u0001', 160_000), 'a')],
];

describe('a line of a megabyte holds up no check:', () => {
  it.each(LINES)('%s', async (_, line) => {
    expect(Buffer.byteLength(line)).toBeGreaterThan(500_000);
    const { result } = await validated(`${chatLine('q', 'a')}\n${line}`, { controlTokens: ['<|im_end|>'] }, 65_536);
    expect(result.examples + result.rejected).toBe(2);
    expect(result.lines).toBe(2);
  });
});
