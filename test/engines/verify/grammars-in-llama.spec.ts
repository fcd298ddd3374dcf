import type { Tool } from '@slipway/contracts';
import { createLogger } from '@slipway/platform';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GbnfReader } from '../../../libs/engine-llama/src/grammar/gbnf-reader.js';
import { GrammarWalk } from '../../../libs/engine-llama/src/grammar/grammar-walk.js';
import { type LoadedModel, loadModel } from '../../../libs/engine-llama/src/load-model.js';
import { outputRules } from '../../../libs/engine-llama/src/grammar/output-grammar.js';
import { FAMILIES } from '../../../libs/engine-llama/src/tool-calls/detect-family.js';
import { toolGrammar } from '../../../libs/engine-llama/src/tool-grammar.js';
import { DEMO_MODEL } from '../demo-engine.js';
import { GrammarSampler } from '../grammar-sampler.js';
import { Random } from '../random.js';
import { randomSchema } from '../random-schema.js';

let loaded: LoadedModel;

/** llama.cpp's own verdict on a whole text; the library marks it internal. */
interface Judge {
  _testText(text: string): boolean;
}

async function judge(grammar: string): Promise<Judge> {
  return (await loaded.base.llama.createGrammar({ grammar })) as unknown as Judge;
}

function broken(text: string, random: Random): string {
  const chars = Array.from(text);
  const at = random.int(0, Math.max(0, chars.length - 1));
  chars.splice(at, random.int(0, 1), random.pick(['"', '}', ',', '0', 'x', ' ', '\\', '\n', '😀']));
  return chars.join('');
}

beforeAll(async () => {
  const log = createLogger('test', 'silent');
  const { signal } = new AbortController();
  const onProgress = (): void => undefined;
  loaded = await loadModel({ path: DEMO_MODEL, context: 64, sequences: 1, threads: 1, gpu: false, log, signal, onProgress });
});

afterAll(async () => {
  await loaded?.dispose();
});

const TOOLS: readonly Tool[] = [
  {
    name: 'set-it_2',
    parameters: {
      type: 'object',
      properties: { path: { type: 'string' }, mode: { enum: ['w', 'a "b"'] }, n: { type: 'integer' }, sync: { type: ['boolean', 'null'] } },
      required: ['mode'],
      additionalProperties: false,
    },
  },
  { name: 'nothing' },
];

describe('grammars in llama.cpp', () => {
  it.each(FAMILIES.map((family) => [family.name, family] as const))('hold the calls of %s', async (_, family) => {
    for (const many of [false, true]) {
      const { whole, rules, free } = toolGrammar(TOOLS, family, { many });
      await judge(`root ::= free\n${free()}`);
      const gbnf = `root ::= ${whole}\n${rules}`;
      const read = new GbnfReader(gbnf).read();
      const there = await judge(gbnf);
      for (let seed = 1; seed <= 4; seed += 1) {
        const written = new GrammarSampler(read, new Random(seed)).sample('root', 100);
        expect([written, there._testText(written)]).toEqual([written, true]);
      }
    }
  });

  it('are taken, and mean there what they mean to us, for 150 random schemas', async () => {
    for (let seed = 5_000; seed < 5_150; seed += 1) {
      const random = new Random(seed);
      const { schema, sample } = randomSchema(random);
      const { rules } = outputRules({ kind: 'json_schema', schema }, '');
      const read = new GbnfReader(rules).read();
      const walk = new GrammarWalk(read, 'root');
      const there = await judge(rules);
      for (const fuel of [0, 300]) {
        const written = new GrammarSampler(read, random).sample('root', fuel);
        for (const text of [written, JSON.stringify(sample(random, 2)), broken(written, random)]) {
          expect(there._testText(text), `seed ${seed}: ${JSON.stringify(text)}`).toBe(walk.accepts(text));
        }
        expect(there._testText(written)).toBe(true);
      }
    }
  });

  it.each([
    ['a{70,1000}', 'a'.repeat(900), 'a'.repeat(1_001)],
    ['(ab?){3000}', 'aba'.repeat(1_500), 'ab'],
    ['[^"\\]-]+', '^x😀', '-'],
    ['(a?b?)*c', 'abbac', 'abd'],
  ])('count and match as a regular expression says: %s', async (pattern, taken, refused) => {
    const there = await judge(outputRules({ kind: 'regex', pattern }, '').rules);
    expect(there._testText(taken)).toBe(true);
    expect(there._testText(refused)).toBe(false);
  });

  it.each([
    'root ::= "(" root ")" | ""',
    'root ::= (\n "a" | [^b-d\\x41] # no\n)+ x{2,}\nx ::= . "\\t"?',
    'root ::= -a-\n-a- ::= ("x" "y"){0,3} "z"*',
  ])('of callers mean the same after our reading: %s', async (grammar) => {
    const random = new Random(9);
    const [asGiven, asRead] = [await judge(grammar), await judge(outputRules({ kind: 'grammar', grammar }, '').rules)];
    const sampler = new GrammarSampler(new GbnfReader(grammar).read(), random);
    for (let i = 0; i < 30; i += 1) {
      const text = sampler.sample('root', 60);
      expect(asGiven._testText(text), text).toBe(true);
      for (const each of [text, broken(text, random)]) expect(asRead._testText(each), each).toBe(asGiven._testText(each));
    }
  });
});
