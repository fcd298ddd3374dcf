import type { ServiceError, Tool } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { CompileBudget, isOutOfTime } from './grammar/compile-budget.js';
import { GbnfReader } from './grammar/gbnf-reader.js';
import { GrammarWalk } from './grammar/grammar-walk.js';
import type { CallFamily } from './tool-calls/call-family.js';
import { CallReader } from './tool-calls/call-reader.js';
import { toolGrammar } from './tool-grammar.js';
import { familyNamed } from './tool-calls/detect-family.js';

const HERMES = familyNamed('hermes');
const GLM = familyNamed('glm');
const QWEN_XML = familyNamed('qwen-xml');

const TOOL: Tool = {
  name: 'set',
  strict: true,
  parameters: {
    type: 'object',
    properties: { unit: { type: 'string', const: '12' }, size: { enum: ['a b', '"c"'] }, count: { const: 3 } },
    required: ['unit', 'size', 'count'],
    additionalProperties: false,
  },
};

const qwen = (unit: string, size: string, count: string): string =>
  `<tool_call>\n<function=set>\n<parameter=unit>\n${unit}\n</parameter>\n<parameter=size>\n${size}\n</parameter>\n<parameter=count>\n${count}\n</parameter>\n</function>\n</tool_call>`;
const glm = (...values: string[]): string => {
  const pairs = ['unit', 'size', 'count'].map((key, i) => `<arg_key>${key}</arg_key>\n<arg_value>${values[i]}</arg_value>\n`);
  return `<tool_call>set\n${pairs.join('')}</tool_call>`;
};

function argumentsIn(family: CallFamily, answer: string, tool = TOOL): unknown {
  let args = '';
  const nothing = (): void => undefined;
  const reader = new CallReader(
    family,
    { text: nothing, begin: nothing, args: (piece) => void (args += piece), close: nothing, broken: nothing },
    [tool],
  );
  reader.push(answer);
  reader.end();
  return JSON.parse(args);
}

describe.each<[string, CallFamily, typeof qwen]>([
  ['qwen-xml', QWEN_XML, qwen],
  ['glm', GLM, glm],
])('the calls of a strict tool in %s', (_, family, write) => {
  const { whole, rules } = toolGrammar([TOOL], family, { many: false });
  const walk = new GrammarWalk(new GbnfReader(`root ::= ${whole}\n${rules}`).read(), 'root');

  it('enforce listed values and constants', () => {
    expect(walk.accepts(write('12', 'a b', '3'))).toBe(true);
    for (const wrong of [write('13', 'a b', '3'), write('12', 'a', '3'), write('12', 'a b', '4'), write('"12"', 'a b', '3')]) {
      expect(walk.accepts(wrong), wrong).toBe(false);
    }
  });

  it('are read by their schema', () => {
    expect(argumentsIn(family, write('12', '"c"', '3'))).toEqual({ unit: '12', size: '"c"', count: 3 });
  });
});

describe.each<[string, CallFamily, (value: string) => string]>([
  ['qwen-xml', QWEN_XML, (value) => `<tool_call>\n<function=set>\n<parameter=x>\n${value}\n</parameter>\n</function>\n</tool_call>`],
  ['glm', GLM, (value) => `<tool_call>set\n<arg_key>x</arg_key>\n<arg_value>${value}</arg_value>\n</tool_call>`],
])('a text of a strict tool in %s', (_, family, write) => {
  const toolOf = (x: object): Tool => ({
    name: 'set',
    strict: true,
    parameters: { type: 'object', properties: { x }, required: ['x'], additionalProperties: false },
  });
  const grammarOf = (x: object) => toolGrammar([toolOf(x)], family, { many: false });

  it.each<[string, object, string[], string[]]>([
    ['a least length', { type: 'string', minLength: 2 }, ['ab', 'ab<c>', 'a b\nc', 'é😀'], ['', 'a', '\n\n', 'a\n']],
    ['a least length of one', { type: 'string', minLength: 1 }, ['a', 'a\n<b>'], ['', '\n']],
    ['bounds', { type: 'string', minLength: 2, maxLength: 3 }, ['ab', 'a\nb', '😀😀😀'], ['a', 'abcd', 'ab\n', '\nab']],
    ['a greatest length', { type: 'string', maxLength: 1 }, ['', 'a'], ['ab', '\n']],
    ['a pattern', { type: 'string', pattern: '^[A-Z]{2}\\d+$' }, ['AB1', 'XY23'], ['ab1', 'AB', 'AB1 ', '"AB1"']],
    ['a pattern anywhere', { type: 'string', pattern: '[^a]' }, ['b', 'aba'], ['aaa', '', '<', '\n']],
    ['a format', { type: 'string', format: 'date' }, ['2024-02-29'], ['2023-02-29', 'today', '']],
    ['listed texts of some length', { enum: ['a', 'bb', 'ccc'], minLength: 2, maxLength: 2 }, ['bb'], ['a', 'ccc']],
  ])('keeps %s and reads it back', (__, schema, taken, refused) => {
    const { whole, rules } = grammarOf(schema);
    const walk = new GrammarWalk(new GbnfReader(`root ::= ${whole}\n${rules}`).read(), 'root');
    for (const value of taken) {
      expect(walk.accepts(write(value)), value).toBe(true);
      expect(argumentsIn(family, write(value), toolOf(schema))).toEqual({ x: value });
    }
    for (const value of refused) expect(walk.accepts(write(value)), value).toBe(false);
  });

  it.each<[string, object, string[], string[], string[]]>([
    ['a length beside a pattern', { type: 'string', pattern: '^[a-z]+$', minLength: 2 }, [], ['ab'], ['a', 'A1']],
    ['another format', { type: 'string', format: 'uri', maxLength: 2 }, [], ['ab'], ['abc']],
    [
      'a pattern of what would end the text',
      { type: 'string', pattern: '^<.*>$', maxLength: 3 },
      ['/properties/x/pattern'],
      ['abc'],
      ['abcd'],
    ],
    ['a pattern beside listed values', { enum: ['a', 'b'], pattern: 'a' }, [], ['a'], ['b']],
    ['a negation', { type: 'string', not: { const: 'a' }, maxLength: 2 }, ['/properties/x/not'], ['ab'], ['abc']],
    [
      'alternatives',
      { type: 'string', maxLength: 2, anyOf: [{ pattern: 'a' }, { pattern: 'b' }] },
      ['/properties/x/anyOf'],
      ['ab'],
      ['abc'],
    ],
  ])('enforces part of %s and names the rest', (...[, schema, places, taken, refused]) => {
    const { whole, rules, leftOut } = grammarOf(schema);
    expect(leftOut.flatMap((each) => each.places)).toEqual(places);
    const walk = new GrammarWalk(new GbnfReader(`root ::= ${whole}\n${rules}`).read(), 'root');
    for (const value of taken) expect(walk.accepts(write(value)), value).toBe(true);
    for (const value of refused) expect(walk.accepts(write(value)), value).toBe(false);
  });

  it('is refused where no text is possible', () => {
    for (const strict of [true, false]) {
      const tool = { ...toolOf({ type: 'string', minLength: 2, maxLength: 1 }), strict };
      expect(() => toolGrammar([tool], family, { many: false })).toThrow(
        expect.objectContaining({
          param: 'tools[0].function.parameters',
          message: expect.stringContaining('No value can satisfy') as string,
        }),
      );
    }
  });

  it.each<[string, object, string[]]>([
    ['alternatives of all parameters', { anyOf: [{ required: ['x'] }] }, ['/anyOf']],
    ['a required parameter that is not listed', { required: ['y'] }, ['/required']],
  ])('names %s as left out', (__, more, places) => {
    const tool: Tool = { name: 'set', strict: true, parameters: { type: 'object', properties: { x: { type: 'string' } }, ...more } };
    expect(toolGrammar([tool], family, { many: false }).leftOut).toEqual([{ tool: 'set', places }]);
  });
});

describe('the calls of large tools', () => {
  const listed = (names: number, strict: boolean): Tool => {
    const properties = Object.fromEntries(
      Array.from({ length: names }, (_, i) => [`property${i}`, { type: 'string', description: 'd'.repeat(60) }]),
    );
    return { name: `t${names}`, strict, parameters: { type: 'object', properties, required: Object.keys(properties) } };
  };

  it('follow many long schemas', () => {
    const tools = Array.from({ length: 40 }, (_, i) => ({ ...listed(30, false), name: `tool${i}` }));
    const { whole, rules, leftOut } = toolGrammar(tools, HERMES, { many: true });
    expect(leftOut).toEqual([]);
    const walk = new GrammarWalk(new GbnfReader(`root ::= ${whole}\n${rules}`).read(), 'root');
    expect(walk.accepts('<tool_call>\n{"name": "tool39", "arguments": {"property0":"x"}}\n</tool_call>')).toBe(false);
  });

  it('share one bound for all schemas', () => {
    const tools = Array.from({ length: 4 }, (_, i) => ({ ...listed(2_000, false), name: `tool${i}` }));
    expect(toolGrammar(tools, HERMES, { many: true }).leftOut.at(-1)).toEqual({ tool: 'tool3', places: ['/'] });
    const strict = tools.map((tool) => ({ ...tool, strict: true }));
    expect(() => toolGrammar(strict, HERMES, { many: true })).toThrow(
      expect.objectContaining({ code: 'unsupported_value', message: expect.stringContaining('too large') as string }),
    );
  });

  const KUBERNETES = '^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$';
  const named = (name: string, strict = false): Tool => ({
    name,
    strict,
    parameters: {
      type: 'object',
      properties: {
        of: { type: 'string', pattern: KUBERNETES, maxLength: 253 },
        in: { type: 'string', pattern: KUBERNETES, maxLength: 200 },
      },
      required: ['of'],
      additionalProperties: false,
    },
  });

  /** A budget with room for one such tool. */
  const room = (): CompileBudget => {
    const budget = new CompileBudget();
    budget.chars(400 * 1024);
    return budget;
  };

  it.each([HERMES, GLM])('lose lengths first, then patterns', (family) => {
    const tools = Array.from({ length: 3 }, (_, i) => named(`tool${i}`));
    const { leftOut, whole, rules } = toolGrammar(tools, family, { many: false, budget: room() });
    expect(leftOut.length).toBeGreaterThan(0);
    expect(leftOut.length).toBeLessThan(3);
    expect(leftOut.flatMap(({ places }) => places).filter((place) => place === '/')).toEqual([]);
    expect(leftOut[0]?.places).toEqual(['/properties/of/maxLength', '/properties/in/maxLength']);
    if (family !== HERMES) return;
    const walk = new GrammarWalk(new GbnfReader(`root ::= ${whole}\n${rules}`).read(), 'root');
    expect(walk.accepts('<tool_call>\n{"name": "tool2", "arguments": {"in":"a"}}\n</tool_call>')).toBe(false);
  });

  it('compile strict tools first', () => {
    const tools = [...Array.from({ length: 3 }, (_, i) => named(`tool${i}`)), named('last', true)];
    const { leftOut } = toolGrammar(tools, HERMES, { many: false, budget: room() });
    expect(leftOut.map(({ tool }) => tool)).not.toContain('last');
    expect(() =>
      toolGrammar(
        tools.map((tool) => ({ ...tool, strict: true })),
        HERMES,
        { many: false, budget: room() },
      ),
    ).toThrow(expect.objectContaining({ code: 'unsupported_value', message: expect.stringContaining('too large') as string }));
  });

  it('keep shapes when time runs out', () => {
    const late = (): CompileBudget => {
      let [asked, ms] = [0, 0];
      return new CompileBudget(() => {
        asked += 1;
        // From the second tool on the first two seconds are used up.
        if (asked === 20) ms = 2_001;
        return ms;
      });
    };
    const tools = Array.from({ length: 3 }, (_, i) => named(`tool${i}`));
    const { leftOut } = toolGrammar(tools, HERMES, { many: false, budget: late() });
    expect(leftOut.at(-1)?.tool).toBe('tool2');
    expect(leftOut.flatMap(({ places }) => places)).not.toContain('/');
    const strict = tools.map((tool) => ({ ...tool, strict: true }));
    expect(() => toolGrammar(strict, HERMES, { many: false, budget: late() })).toThrow(
      expect.toSatisfy((error: ServiceError) => error.code === 'unsupported_value' && isOutOfTime(error)),
    );
  });

  it.each([HERMES, QWEN_XML])('leave out and name null keywords', (form) => {
    const parameters = {
      type: 'object',
      properties: { a: { type: 'object', properties: null, required: null } },
      required: ['a'],
      allOf: null,
    };
    for (const strict of [false, true]) {
      expect(toolGrammar([{ name: 'set', parameters, strict }], form, { many: false }).leftOut).toEqual([
        { tool: 'set', places: expect.arrayContaining(['/allOf', '/properties/a/properties', '/properties/a/required']) as string[] },
      ]);
    }
  });

  it.each([HERMES, QWEN_XML, GLM])('leave out and name foreign types in form %#', (family) => {
    const properties = { when: { type: 'Date' }, names: { type: 'Iterator', items: { const: 'x' } }, n: { type: ['float', 'null'] } };
    const parameters = { type: 'object', properties, required: ['when', 'names', 'n'] };
    const places = ['/properties/when/type', '/properties/names/type', '/properties/n/type'];
    const made = toolGrammar([{ name: 'set', parameters }], family, { many: false });
    expect(made.leftOut).toEqual([{ tool: 'set', places }]);
    // The other keywords of an Iterator apply to arrays.
    const walk = new GrammarWalk(new GbnfReader(made.rules).read(), family.form.style === 'texts' ? 'tool-0-p1-root' : 'tool-0-root');
    const texts =
      family.form.style === 'texts' ? ['["x"]', '["y"]'] : ['x', 'y'].map((x) => JSON.stringify({ when: 'now', names: [x], n: 0.5 }));
    expect(texts.map((text) => walk.accepts(text))).toEqual([true, false]);
  });

  it('allow any text where listed ones cannot be written', () => {
    const toolOf = (only: object) => ({ name: 'set', parameters: { type: 'object', properties: { a: { type: 'string', ...only } } } });
    for (const [only, places] of [
      [{ const: 'a\0b' }, ['/properties/a/const']],
      [{ enum: ['a\0b', '\uD800'] }, ['/properties/a/enum']],
      [{ enum: ['a\0b', 'c'] }, undefined],
    ] as const) {
      const { leftOut, whole, rules } = toolGrammar([toolOf(only)], QWEN_XML, { many: false });
      expect(leftOut[0]?.places).toEqual(places);
      new GbnfReader(`root ::= ${whole}\n${rules}`).read();
    }
  });
});
