import { readFileSync } from 'node:fs';
import type { Tool } from '@slipway/contracts';
import { Ajv, type AnySchema, type Options } from 'ajv';
import addFormats from 'ajv-formats';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { GbnfReader } from '../../../libs/engine-llama/src/grammar/gbnf-reader.js';
import { GrammarWalk } from '../../../libs/engine-llama/src/grammar/grammar-walk.js';
import { jsonSchemaRules, type SchemaRules } from '../../../libs/engine-llama/src/grammar/json-schema-grammar.js';
import type { CallFamily } from '../../../libs/engine-llama/src/tool-calls/call-family.js';
import { type ToolGrammar, toolGrammar } from '../../../libs/engine-llama/src/tool-grammar.js';
import { GrammarSampler } from '../../engines/grammar-sampler.js';
import { Random } from '../../engines/random.js';
import { withoutPlaces } from '../left-out-table.js';
import { argumentsIn, FAMILIES } from '../tool-answers.js';

/** Tests of one schema, in the drafts that have them. */
interface Group {
  readonly drafts: readonly Draft[];
  readonly name: string;
  readonly schema: AnySchema;
  readonly valid: readonly unknown[];
  readonly invalid: readonly unknown[];
}
type Draft = keyof typeof DRAFTS;

const OPTIONS: Options = {
  strict: false,
  logger: false,
  validateSchema: false,
  validateFormats: false,
  addUsedSchema: false,
  ownProperties: true,
};
/** Formats are asserted by the grammar; the suite's required tests take them for annotations. */
const DRAFTS = {
  draft6: { uri: 'http://json-schema.org/draft-06/schema#', ajv: () => new Ajv(OPTIONS) },
  draft7: { uri: 'http://json-schema.org/draft-07/schema#', ajv: () => new Ajv(OPTIONS) },
  'draft2019-09': { uri: 'https://json-schema.org/draft/2019-09/schema', ajv: () => new Ajv2019(OPTIONS) },
  'draft2020-12': { uri: 'https://json-schema.org/draft/2020-12/schema', ajv: () => new Ajv2020(OPTIONS) },
} as const;
const SENTENCES = 3;
/** The rule of the arguments of a request's first tool. */
const ARGUMENTS = 'tool-0-root';

const { groups } = JSON.parse(readFileSync(new URL('../suite/suite.json', import.meta.url), 'utf8')) as { groups: readonly Group[] };
const FILES = [...new Set(groups.map(({ name }) => name.split(':')[0]!))];

const inDraft = (schema: AnySchema, draft: Draft): AnySchema =>
  typeof schema === 'object' ? { $schema: DRAFTS[draft].uri, ...schema } : schema;

interface Try {
  readonly group: Group;
  readonly draft: Draft;
  readonly schema: AnySchema;
  readonly about: string;
}

function* triesOf(file: string): Generator<Try> {
  for (const group of groups.filter(({ name }) => name.startsWith(`${file}:`))) {
    for (const draft of group.drafts) {
      const schema = inDraft(group.schema, draft);
      yield { group, draft, schema, about: `${draft}, ${group.name}: ${JSON.stringify(schema)}` };
    }
  }
}

type Judge = (value: unknown) => boolean;

/** What ajv says of values; null where it cannot read the schema. */
function judgeOf(schema: AnySchema, draft: Draft): Judge | null {
  const ajv = DRAFTS[draft].ajv();
  addFormats.default(ajv);
  try {
    const { $schema: _, ...rest } = schema as Record<string, unknown>;
    const compiled = ajv.compile(typeof schema === 'object' ? rest : schema);
    return (value) => compiled(value);
  } catch {
    return null;
  }
}

/** Whether ajv reads a schema as its own tests do: it knows no dynamic scopes across embedded schemas, nor an `$id` to ignore. */
function isTrusted({ schema, valid, invalid }: Group, draft: Draft): boolean {
  const judge = judgeOf(schema, draft);
  try {
    return judge !== null && valid.every((value) => judge(value)) && !invalid.some((value) => judge(value));
  } catch {
    return false;
  }
}

/** Names that the schema does not list may be written twice; a parser then keeps one, and counts of members do not hold. */
const countsMembers = (schema: AnySchema): boolean => JSON.stringify(schema).includes('minProperties');

function expectHeld(made: SchemaRules, { group, draft, schema, about }: Try): void {
  const rules = new GbnfReader(made.rules).read();
  const walk = new GrammarWalk(rules, 'root');
  const wide = group.invalid.filter((value) => walk.accepts(JSON.stringify(value)));
  if (made.leftOut.length === 0) expect(wide, about).toEqual([]);
  const judge = isTrusted(group, draft) ? judgeOf(withoutPlaces(schema, made.leftOut) as AnySchema, draft) : null;
  if (!judge) return;
  for (const value of wide) expect(judge(value), `${about}\n${made.leftOut.join()}\naccepts ${JSON.stringify(value)}`).toBe(true);
  if (countsMembers(schema)) return;
  for (let seed = 1; seed <= SENTENCES; seed += 1) {
    const written = new GrammarSampler(rules, new Random(seed)).sample('root', seed * 15);
    expect(judge(JSON.parse(written)), `${about}\n${made.leftOut.join()}\nwrites ${written}`).toBe(true);
  }
}

/** The rules of a schema; null = it is refused as one that nothing can satisfy. */
function rulesOf({ schema, about }: Try): SchemaRules | null {
  try {
    return jsonSchemaRules(schema, '');
  } catch (error) {
    expect((error as Error).message, about).toMatch(/^No (finite )?value can satisfy the schema/);
    return null;
  }
}

/** Keywords by which a schema is another one where it stands within a larger one. */
const PLACED = /"\$?id"|"\$recursiveRef"|"\$dynamicRef":"#["/]/;
/** Keywords whose value is data. */
const DATA = new Set(['enum', 'const']);

/** A schema as it is written at another place of a document: what it refers to has moved with it. */
function movedTo(place: string, schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map((each) => movedTo(place, each));
  if (typeof schema !== 'object' || schema === null) return schema;
  const moved = Object.entries(schema).map(([word, value]): [string, unknown] => {
    if (DATA.has(word)) return [word, value];
    return [word, word === '$ref' && typeof value === 'string' ? value.replace(/^#(?=$|\/)/, place) : movedTo(place, value)];
  });
  return Object.fromEntries(moved);
}

const toolOf = ({ group, draft }: Try): Tool => ({
  name: 'save',
  parameters: {
    $schema: DRAFTS[draft].uri,
    ...{
      type: 'object',
      properties: { value: movedTo('#/properties/value', group.schema) },
      required: ['value'],
      additionalProperties: false,
    },
  },
});

/** Calls of a tool with the schema as its one parameter; null = they are refused as what nothing can satisfy. */
function callsOf(tool: Tool, family: CallFamily, about: string): ToolGrammar | null {
  try {
    return toolGrammar([tool], family, { many: false });
  } catch (error) {
    expect((error as Error).message, about).toMatch(/cannot be enforced: No (finite )?value can satisfy the schema/);
    return null;
  }
}

/** What a call holds is what the schema allows, in each family's words. */
function expectCalled(made: ToolGrammar, each: Try, { family, tool }: { readonly family: CallFamily; readonly tool: Tool }): void {
  const { group, draft, schema, about } = each;
  const grammar = new GbnfReader(`root ::= ${made.whole}\n${made.rules}`).read();
  const places = made.leftOut.flatMap((one) => one.places);
  const judge = isTrusted(group, draft) ? judgeOf(withoutPlaces(tool.parameters, places) as AnySchema, draft) : null;
  if (family.form.style === 'object') {
    const walk = new GrammarWalk(grammar, ARGUMENTS);
    const wide = group.invalid.filter((value) => walk.accepts(JSON.stringify({ value })));
    if (places.length === 0) expect(wide, about).toEqual([]);
    if (judge)
      for (const value of wide) expect(judge({ value }), `${about}\n${places.join()}\naccepts ${JSON.stringify(value)}`).toBe(true);
  }
  if (!judge || countsMembers(schema)) return;
  const args = argumentsIn(new GrammarSampler(grammar, new Random(1)).sample('root', 30), [tool], family);
  expect(judge(args), `${about}\n${places.join()}\nreads ${JSON.stringify(args)}`).toBe(true);
}

describe('the JSON Schema test suite as tool parameters', () => {
  it.each(FILES)('accepts callable tools and enforces them: %s', (file) => {
    for (const [turn, each] of [...triesOf(file)].filter(({ schema }) => !PLACED.test(JSON.stringify(schema))).entries()) {
      const { name, family } = FAMILIES[turn % FAMILIES.length]!;
      const about = `${name}, ${each.about}`;
      const tool = toolOf(each);
      const made = callsOf(tool, family, about);
      if (made) expectCalled(made, { ...each, about }, { family, tool });
      else expect(each.group.valid, about).toEqual([]);
    }
  });

  it('covers nearly all tests', () => {
    const tries = FILES.flatMap((file) => [...triesOf(file)]);
    expect(tries.filter(({ schema }) => PLACED.test(JSON.stringify(schema))).length / tries.length).toBeLessThan(0.15);
  });
});

describe('the JSON Schema test suite', () => {
  it.each(FILES)('accepts satisfiable schemas and enforces them: %s', (file) => {
    for (const each of triesOf(file)) {
      const made = rulesOf(each);
      if (made) expectHeld(made, each);
      else expect(each.group.valid, each.about).toEqual([]);
    }
  });

  it('agrees with ajv except for few tests', () => {
    const tries = FILES.flatMap((file) => [...triesOf(file)]);
    const untrusted = tries.filter(({ group, draft }) => !isTrusted(group, draft));
    expect(untrusted.length / tries.length).toBeLessThan(0.1);
  });

  it('accepts three of four valid values', () => {
    let [taken, all] = [0, 0];
    for (const each of FILES.flatMap((file) => [...triesOf(file)])) {
      const made = each.group.valid.length > 0 ? rulesOf(each) : null;
      if (!made) continue;
      const walk = new GrammarWalk(new GbnfReader(made.rules).read(), 'root');
      all += each.group.valid.length;
      taken += each.group.valid.filter((value) => walk.accepts(JSON.stringify(value))).length;
    }
    expect(taken / all).toBeGreaterThan(0.75);
  });
});
