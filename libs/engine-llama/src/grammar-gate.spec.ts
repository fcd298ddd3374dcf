import type { Tool } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { makeGrammar } from './answer-grammar.js';
import { GbnfReader } from './grammar/gbnf-reader.js';
import { faultOf } from './grammar/grammar-check.js';
import { GrammarWalk } from './grammar/grammar-walk.js';
import { CallReader } from './tool-calls/call-reader.js';
import { familyNamed } from './tool-calls/detect-family.js';

const number = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'], additionalProperties: false };
const TOOLS: readonly Tool[] = [
  { name: 'get', parameters: number },
  { name: 'get_time', parameters: number },
];

type Write = (name: string, n: string) => string;
const json: Write = (name, n) => `{"name": "${name}", "arguments": {"n": ${n}}}`;
const command: Write = (name, n) => `{"tool_name": "${name}", "parameters": {"n": ${n}}}`;
const xml: Write = (name, n) => `<function=${name}>\n<parameter=n>\n${n}\n</parameter>\n</function>`;
const glm: Write = (name, n) => `${name}\n<arg_key>n</arg_key>\n<arg_value>${n}</arg_value>\n</tool_call>`;
const deep: Write = (name, n) => `<｜tool▁call▁begin｜>${name}<｜tool▁sep｜>{"n": ${n}}<｜tool▁call▁end｜>`;
const fenced: Write = (name, n) => `<｜tool▁call▁begin｜>function<｜tool▁sep｜>${name}\n\`\`\`json\n{"n": ${n}}\n\`\`\`<｜tool▁call▁end｜>`;
const llama: Write = (name, n) => `{"name": "${name}", "parameters": {"n": ${n}}}`;
const OK = { name: 'get', n: '7' };
const first = (write: Write): string => write(OK.name, OK.n);

/** Every form that a family's reader accepts: text before the name, and the call. */
const FORMS: readonly (readonly [family: string, form: string, write: Write])[] = [
  ['hermes', 'first call', (...of) => `<tool_call>\n${json(...of)}\n</tool_call>`],
  ['hermes', 'no line break', (...of) => `I see.<tool_call>${json(...of)}</tool_call>`],
  ['hermes', 'more white space', (...of) => `<tool_call>\n\n ${json(...of)}`],
  ['hermes', 'second call', (...of) => `<tool_call>${first(json)}\n</tool_call>\n<tool_call>\n${json(...of)}`],
  ['hermes', 'behind a beginning of the mark', (...of) => `<<tool_<tool_call>${json(...of)}`],
  ['qwen-xml', 'first call', (...of) => `A.\n<tool_call>\n${xml(...of)}\n</tool_call>`],
  ['qwen-xml', 'no outer mark', (...of) => `A.\n${xml(...of)}\n</tool_call>`],
  ['qwen-xml', 'second call', (...of) => `<tool_call>\n${first(xml)}\n</tool_call>\n<tool_call>\n${xml(...of)}`],
  ['qwen-xml', 'second call without the outer mark', (...of) => `<tool_call>${first(xml)}</tool_call>${xml(...of)}`],
  ['glm', 'first call', (...of) => `A<tool_call>${glm(...of)}`],
  ['glm', 'second call', (...of) => `<tool_call>${first(glm)}\n<tool_call>${glm(...of)}`],
  ['deepseek', 'first call', (...of) => `<｜tool▁calls▁begin｜>${deep(...of)}<｜tool▁calls▁end｜>`],
  ['deepseek', 'second call of a list', (...of) => `<｜tool▁calls▁begin｜>${first(deep)}${deep(...of)}<｜tool▁calls▁end｜>`],
  ['deepseek', 'no outer mark', (...of) => `A ${deep(...of)}`],
  ['deepseek-fenced', 'first call', (...of) => `<｜tool▁calls▁begin｜>${fenced(...of)}<｜tool▁calls▁end｜>`],
  ['deepseek-fenced', 'second call of a list', (...of) => `<｜tool▁calls▁begin｜>${first(fenced)}\n${fenced(...of)}`],
  ['deepseek-fenced', 'no outer mark', (...of) => fenced(...of)],
  ['mistral', 'first call', (...of) => `A[TOOL_CALLS] [${json(...of)}]`],
  ['mistral', 'second call of a list', (...of) => `[TOOL_CALLS][${first(json)}, ${json(...of)}]`],
  ['mistral', 'second list', (...of) => `[TOOL_CALLS][${first(json)}] [TOOL_CALLS][${json(...of)}]`],
  ['mistral-named', 'first call', (name, n) => `[TOOL_CALLS]${name}[ARGS]{"n": ${n}}`],
  ['mistral-named', 'second call', (name, n) => `[TOOL_CALLS]get[ARGS]{"n": 1}[TOOL_CALLS]${name}[ARGS]{"n": ${n}}`],
  ['granite', 'first call', (...of) => `<|tool_call|>[${json(...of)}]`],
  ['granite', 'second call of a list', (...of) => `<|tool_call|>[${first(json)}, ${json(...of)}]`],
  ['phi', 'first call', (...of) => `<|tool_call|>[${json(...of)}]<|/tool_call|>`],
  ['phi', 'second list', (...of) => `<|tool_call|>[${first(json)}]<|/tool_call|><|tool_call|>[${json(...of)}]`],
  ['command', 'first call', (...of) => `<|START_ACTION|>\n[${command(...of)}]<|END_ACTION|>`],
  ['command', 'second call of a list', (...of) => `<|START_ACTION|>[${first(command)}, ${command(...of)}]`],
  ['llama-json', 'first call', llama],
  ['llama-json', 'other key', json],
  ['llama-json', 'tag', (...of) => `\n<|python_tag|> ${llama(...of)}`],
  ['llama-json', 'type first', (name, n) => `{"type": "function", "name": "${name}", "parameters": {"n": ${n}}}`],
  ['llama-json', 'second call', (...of) => `${first(llama)}; ${llama(...of)}`],
];

const walks = new Map<string, GrammarWalk>();
function walkOf(family: string): GrammarWalk {
  const { gbnf = '' } = makeGrammar({ tools: [...TOOLS] }, familyNamed(family)) ?? {};
  const rules = new GbnfReader(gbnf).read();
  expect(faultOf(rules)).toBeNull();
  const walk = walks.get(family) ?? new GrammarWalk(rules, 'root');
  walks.set(family, walk);
  return walk;
}

function callsIn(family: string, answer: string): [string, unknown][] {
  const calls: { name: string; args: string }[] = [];
  const sink = {
    text: () => undefined,
    begin: (name: string) => void calls.push({ name, args: '' }),
    args: (piece: string) => void (calls.at(-1)!.args += piece),
    close: () => undefined,
    broken: () => undefined,
  };
  const reader = new CallReader(familyNamed(family), sink, TOOLS);
  reader.push(answer);
  reader.end();
  return calls.map(({ name, args }) => [name, JSON.parse(args)]);
}

describe('the grammar of free answers', () => {
  it.each(FORMS)('takes offered names with valid arguments: %s, %s', (family, _, write) => {
    const walk = walkOf(family);
    for (const name of ['get', 'get_time']) {
      expect([name, walk.accepts(write(name, '12'))]).toEqual([name, true]);
      expect(callsIn(family, write(name, '12')).at(-1)).toEqual([name, { n: 12 }]);
    }
    expect(walk.accepts(write('get', '"x"'))).toBe(false);
  });

  it.each(FORMS.filter(([family]) => family !== 'llama-json'))('allows no token of another name: %s, %s', (family, _, write) => {
    const walk = walkOf(family);
    let ways = walk.start();
    // Up to where the two names differ; the rest of a token does not matter.
    const [wrong, right] = [write('got', '12'), write('get', '12')];
    const parts = Array.from(wrong).findIndex((char, i) => char !== Array.from(right)[i]);
    for (const char of Array.from(wrong).slice(0, parts)) ways = walk.after(ways, char.codePointAt(0)!);
    expect(ways.size).toBeGreaterThan(0);
    expect(walk.after(ways, Array.from(wrong)[parts]!.codePointAt(0)!).size).toBe(0);
  });

  it.each(FORMS)('reads no call of another name: %s, %s', (family, _, write) => {
    expect(callsIn(family, write('got', '12')).map(([name]) => name)).not.toContain('got');
  });

  it.each([...new Set(FORMS.map(([family]) => family))])('leaves text without calls free: %s', (family) => {
    const walk = walkOf(family);
    for (const text of [
      '',
      'Hello.',
      '<',
      'a < b <tool',
      '[1, 2] [TOOL',
      '{"city": "Paris"}\n',
      '{"name": "Paris", "age": 3}',
      '<｜tool',
      '<fun é😀',
    ]) {
      expect([text, walk.accepts(text)]).toEqual([text, true]);
    }
  });
});
