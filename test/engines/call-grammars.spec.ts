import type { Tool } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { GbnfReader } from '../../apps/inference-worker/src/engines/llama/grammar/gbnf-reader.js';
import { faultOf } from '../../apps/inference-worker/src/engines/llama/grammar/grammar-check.js';
import { GrammarWalk } from '../../apps/inference-worker/src/engines/llama/grammar/grammar-walk.js';
import { CallReader } from '../../apps/inference-worker/src/engines/llama/tool-calls/call-reader.js';
import { detectFamily } from '../../apps/inference-worker/src/engines/llama/tool-calls/detect-family.js';
import { toolGrammar } from '../../apps/inference-worker/src/engines/llama/tool-grammar.js';
import { TEMPLATES } from './family-templates.js';
import { GrammarSampler } from './grammar-sampler.js';
import { Random } from './random.js';

const TOOLS: readonly Tool[] = [
  {
    name: 'write-file_2',
    parameters: {
      type: 'object',
      properties: {
        path: { type: 'string' },
        lines: { type: 'array', items: { type: 'string' } },
        mode: { enum: ['w', 'a "quoted" one'] },
        owner: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'], additionalProperties: false },
        sync: { type: ['boolean', 'null'] },
      },
      required: ['path', 'mode'],
      additionalProperties: false,
    },
  },
  { name: 'anything', parameters: { type: 'object' } },
  { name: 'nothing' },
];

function read(name: string, pieces: readonly string[]): { text: string; calls: { name: string; args: string; whole: boolean }[] } {
  const family = detectFamily(TEMPLATES[name as keyof typeof TEMPLATES])!;
  const found = { text: '', calls: [] as { name: string; args: string; whole: boolean }[] };
  const sink = {
    text: (piece: string) => (found.text += piece),
    begin: (call: string) => void found.calls.push({ name: call, args: '', whole: false }),
    args: (piece: string) => void (found.calls.at(-1)!.args += piece),
    close: () => void (found.calls.at(-1)!.whole = true),
    broken: () => expect.fail('The list of calls is broken.'),
  };
  const reader = new CallReader(family, sink, TOOLS);
  for (const piece of pieces) reader.push(piece);
  reader.end();
  return found;
}

function pieces(text: string, random: Random): string[] {
  const found: string[] = [];
  const chars = Array.from(text);
  while (chars.length > 0) found.push(chars.splice(0, random.int(1, 7)).join(''));
  return found;
}

function expectCall({ name, args, whole }: { name: string; args: string; whole: boolean }, answer: string): void {
  const values = JSON.parse(args || '{}') as Record<string, unknown>;
  expect([answer, whole, TOOLS.some((tool) => tool.name === name)]).toEqual([answer, true, true]);
  if (name === 'nothing') expect(values).toEqual({});
  if (name !== 'write-file_2') return;
  expect([answer, typeof values['path'], ['w', 'a "quoted" one'].includes(values['mode'] as string)]).toEqual([answer, 'string', true]);
  expect(Array.isArray(values['lines'] ?? [])).toBe(true);
}

describe('every answer that a family’s grammar allows is read as the calls that it holds', () => {
  it.each(Object.keys(TEMPLATES))('%s', (name) => {
    const family = detectFamily(TEMPLATES[name as keyof typeof TEMPLATES])!;
    for (const many of [false, true]) {
      const { whole, rules } = toolGrammar(TOOLS, family, { many });
      const grammar = new GbnfReader(`root ::= ${whole}\n${rules}`).read();
      expect(faultOf(grammar)).toBeNull();
      const walk = new GrammarWalk(grammar, 'root');
      for (let seed = 1; seed <= 40; seed += 1) {
        const random = new Random(seed);
        const answer = new GrammarSampler(grammar, random).sample('root', 120);
        if (seed <= 5) expect([answer, walk.accepts(answer)]).toEqual([answer, true]);
        const { text, calls } = read(name, pieces(answer, random));
        expect([seed, answer, text.trim(), many ? calls.length > 0 : calls.length === 1]).toEqual([seed, answer, '', true]);
        for (const call of calls) expectCall(call, answer);
      }
    }
  });
});
