import type { Tool } from '@slipway/contracts';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { makeGrammar } from '../../../libs/engine-llama/src/answer-grammar.js';
import { GbnfReader } from '../../../libs/engine-llama/src/grammar/gbnf-reader.js';
import { faultOf } from '../../../libs/engine-llama/src/grammar/grammar-check.js';
import { GrammarWalk } from '../../../libs/engine-llama/src/grammar/grammar-walk.js';
import { CallReader } from '../../../libs/engine-llama/src/tool-calls/call-reader.js';
import { FAMILIES, FAMILY_ROWS, familyNamed } from '../../../libs/engine-llama/src/tool-calls/detect-family.js';
import { toolGrammar } from '../../../libs/engine-llama/src/tool-grammar.js';
import { GrammarSampler } from '../grammar-sampler.js';
import { Random } from '../random.js';
import { randomSchema } from '../random-schema.js';

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

const NAMES = FAMILIES.map(({ name }) => name);

function read(
  name: string,
  pieces: readonly string[],
  tools = TOOLS,
): { text: string; calls: { name: string; args: string; whole: boolean }[] } {
  const family = familyNamed(name);
  const found = { text: '', calls: [] as { name: string; args: string; whole: boolean }[] };
  const sink = {
    text: (piece: string) => (found.text += piece),
    begin: (call: string) => void found.calls.push({ name: call, args: '', whole: false }),
    args: (piece: string) => void (found.calls.at(-1)!.args += piece),
    close: () => void (found.calls.at(-1)!.whole = true),
    broken: () => expect.fail('The list of calls is broken.'),
  };
  const reader = new CallReader(family, sink, tools);
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
  it.each(NAMES)('%s', (name) => {
    const family = familyNamed(name);
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

/** Tools of any names and schemas, in which names begin each other. */
function randomTools(random: Random): readonly Tool[] {
  const names = ['get', 'get_time', 'get_time.v2', 'set-it', 'a'].filter(() => random.chance(0.6));
  return (names.length > 0 ? names : ['only']).map((name) => {
    const members = random.times(random.int(0, 3), (i) => [`p${i}`, randomSchema(random).schema] as const);
    // References of all of them lead to the same place.
    const { $defs } = randomSchema(random).schema;
    const required = members.map(([member]) => member).filter(() => random.chance(0.5));
    const properties = Object.fromEntries(members);
    return { name, parameters: { $defs, type: 'object', properties, required, additionalProperties: false } };
  });
}

/** What an answer ends with where one of the calls begins that its grammar numbers. */
function beginningOf(family: string, number: number, tools: readonly Tool[]): string {
  if (family === 'llama-json') return `{"name": "${tools[number]!.name}"`;
  const { section, opens } = FAMILY_ROWS.find(({ name }) => name === family)!;
  const text = family === 'functionary-3.2' ? 'all\nI see. ' : 'I see. ';
  return text + [...(section ? [section.open] : []), ...opens][number]!;
}

/** Answers that go on from where one of the calls begins: free text seldom begins one by chance. */
function* callingAnswers(family: string, seed: number): Generator<{ answer: string; tools: readonly Tool[]; leftOut: readonly string[] }> {
  const random = new Random(seed);
  const tools = randomTools(random);
  const { gbnf, leftOut } = makeGrammar({ tools: [...tools] }, familyNamed(family))!;
  const rules = new GbnfReader(gbnf).read();
  expect(faultOf(rules)).toBeNull();
  const begun = [...rules.keys()].filter((rule) => /^free-call-\d+$/.test(rule));
  for (const [i, rule] of begun.entries()) {
    const answer = beginningOf(family, i, tools) + new GrammarSampler(rules, random).sample(rule, 200);
    yield { answer, tools, leftOut };
  }
}

describe('calls in any answer that may hold some name offered tools, with arguments that satisfy what is held of their schemas', () => {
  it.each(NAMES)('%s', (family) => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false, multipleOfPrecision: 9 });
    for (const { answer, tools, leftOut } of [1, 2].flatMap((seed) => [...callingAnswers(family, seed)])) {
      const { calls } = read(family, pieces(answer, new Random(answer.length)), tools);
      // The mark of this family may be followed by text, too.
      const isCall = calls.length > 0 || family === 'functionary-3.2';
      expect([answer, isCall, calls.every(({ whole }) => whole)]).toEqual([answer, true, true]);
      for (const { name, args } of calls) {
        const tool = tools.find((each) => each.name === name);
        expect([answer, name, tool?.name]).toEqual([answer, name, name]);
        if (leftOut.some((place) => place.startsWith(`${name}:`))) continue;
        const isValid = ajv.compile(tool?.parameters ?? {});
        expect([answer, isValid(JSON.parse(args || '{}')), isValid.errors]).toEqual([answer, true, null]);
      }
    }
  });
});
