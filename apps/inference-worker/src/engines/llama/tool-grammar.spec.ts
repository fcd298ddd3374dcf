import type { Tool } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { GbnfReader } from './grammar/gbnf-reader.js';
import { GrammarWalk } from './grammar/grammar-walk.js';
import type { CallFamily } from './tool-calls/call-family.js';
import { CallReader } from './tool-calls/call-reader.js';
import { GLM } from './tool-calls/glm-calls.js';
import { QWEN_XML } from './tool-calls/qwen-xml-calls.js';
import { toolGrammar } from './tool-grammar.js';

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

function argumentsIn(family: CallFamily, answer: string): unknown {
  let args = '';
  const nothing = (): void => undefined;
  const reader = new CallReader(
    family,
    { text: nothing, begin: nothing, args: (piece) => void (args += piece), close: nothing, broken: nothing },
    [TOOL],
  );
  reader.push(answer);
  reader.end();
  return JSON.parse(args);
}

describe.each<[string, CallFamily, typeof qwen]>([
  ['qwen-xml', QWEN_XML, qwen],
  ['glm', GLM, glm],
])('the calls of a strict tool in the words of %s', (_, family, write) => {
  const { whole, rules } = toolGrammar([TOOL], family, { many: false, bySchema: true });
  const walk = new GrammarWalk(new GbnfReader(`root ::= ${whole}\n${rules}`).read(), 'root');

  it('are held to listed values and to constants', () => {
    expect(walk.accepts(write('12', 'a b', '3'))).toBe(true);
    for (const wrong of [write('13', 'a b', '3'), write('12', 'a', '3'), write('12', 'a b', '4'), write('"12"', 'a b', '3')]) {
      expect(walk.accepts(wrong), wrong).toBe(false);
    }
  });

  it('are read as what the schema says', () => {
    expect(argumentsIn(family, write('12', '"c"', '3'))).toEqual({ unit: '12', size: '"c"', count: 3 });
  });
});
