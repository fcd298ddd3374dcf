import type { Tool } from '@slipway/contracts';
import { Utf8Assembler } from '@slipway/engine';
import { describe, expect, it } from 'vitest';
import type { CallFamily } from './call-family.js';
import { CallReader } from './call-reader.js';
import { DEEPSEEK } from './deepseek-calls.js';
import { GLM } from './glm-calls.js';
import { HERMES } from './hermes-calls.js';
import { COMMAND, GRANITE, PHI } from './list-calls.js';
import { LLAMA_JSON } from './llama-calls.js';
import { MISTRAL } from './mistral-calls.js';
import { QWEN_XML } from './qwen-xml-calls.js';

const TOOLS: readonly Tool[] = [
  {
    name: 'get_weather',
    parameters: { type: 'object', properties: { city: { type: 'string' }, days: { type: 'integer' }, tags: { type: 'array' } } },
  },
  ...['get_time', 'f', 'x', 'other'].map((name) => ({ name })),
];

type Found = { text: string } | { broken: true } | { call: string; id?: string; args: string; whole: boolean };

/** What a family finds in an answer that comes in these pieces; neighbours of one kind are joined. */
function read(family: CallFamily, pieces: Iterable<string>): Found[] {
  const found: Found[] = [];
  const open = (): Extract<Found, { call: string }> => {
    const last = found.at(-1);
    if (!last || !('call' in last)) throw new Error('No call is open.');
    return last;
  };
  const reader = new CallReader(
    family,
    {
      text: (text) => {
        const last = found.at(-1);
        if (last && 'text' in last) last.text += text;
        else found.push({ text });
      },
      begin: (call, id) => void found.push({ call, ...(id !== undefined && { id }), args: '', whole: false }),
      args: (piece) => void (open().args += piece),
      close: () => void (open().whole = true),
      broken: () => void found.push({ broken: true }),
    },
    TOOLS,
  );
  for (const piece of pieces) reader.push(piece);
  reader.end();
  expect(reader.held).toBe(0);
  return found;
}

const text = (value: string): Found => ({ text: value });
const call = (name: string, args: string, id?: string): Found => ({ call: name, ...(id !== undefined && { id }), args, whole: true });
const PARIS = '{"city": "Paris \\"é😀\\"", "days": 3}';

const CASES: readonly [string, CallFamily, string, Found[]][] = [
  [
    'hermes: text before, two calls, text after',
    HERMES,
    `Let me look.\n<tool_call>\n{"name": "get_weather", "arguments": ${PARIS}}\n</tool_call>\n<tool_call>{"name":"get_time","arguments":{}}</tool_call> Done.`,
    [text('Let me look.\n'), call('get_weather', PARIS), text('\n'), call('get_time', '{}'), text(' Done.')],
  ],
  [
    'hermes: arguments before the name',
    HERMES,
    `<tool_call>{"arguments": ${PARIS}, "name": "get_weather"}</tool_call>`,
    [call('get_weather', PARIS)],
  ],
  ['hermes: no arguments, an id', HERMES, '<tool_call>{"id": "a1", "name": "get_time"}</tool_call>', [call('get_time', '', 'a1')]],
  [
    'hermes: arguments as JSON in a string',
    HERMES,
    '<tool_call>{"name": "get_time", "arguments": "{\\"a\\": 1}"}</tool_call>',
    [call('get_time', '{"a": 1}')],
  ],
  [
    'hermes: arguments that are empty text, or null',
    HERMES,
    '<tool_call>{"name": "get_time", "arguments": ""}</tool_call><tool_call>{"arguments": " ", "name": "get_time"}</tool_call><tool_call>{"name": "get_time", "arguments": null}</tool_call>',
    [call('get_time', ''), call('get_time', ''), call('get_time', '')],
  ],
  [
    'hermes: marks that are none',
    HERMES,
    'a <tool_ and <tool_call> as a word, <tool_call>{"city": 1}</tool_call>, <<tool_call>',
    [text('a <tool_ and <tool_call> as a word, <tool_call>{"city": 1}</tool_call>, <<tool_call>')],
  ],
  [
    'hermes: brackets and quotes in strings',
    HERMES,
    '<tool_call>{"name": "x", "arguments": {"a": "}]\\\\\\"{", "b": [[{}]]}}</tool_call>',
    [call('x', '{"a": "}]\\\\\\"{", "b": [[{}]]}')],
  ],
  ['llama: one call', LLAMA_JSON, `{"name": "get_weather", "parameters": ${PARIS}}`, [call('get_weather', PARIS)]],
  [
    'llama: two calls behind the tag, then words',
    LLAMA_JSON,
    '<|python_tag|>{"type": "function", "name": "get_time", "parameters": {}}; {"name": "get_weather", "parameters": {"city": "Rome"}} ok',
    [call('get_time', '{}'), call('get_weather', '{"city": "Rome"}'), text(' ok')],
  ],
  ['llama: JSON that names no tool', LLAMA_JSON, ' {"name": "Paris", "parameters": {}}', [text(' {"name": "Paris", "parameters": {}}')]],
  ['llama: words first', LLAMA_JSON, 'Use {"name": "get_time", "parameters": {}}', [text('Use {"name": "get_time", "parameters": {}}')]],
  [
    'mistral: a list',
    MISTRAL,
    `Sure. [TOOL_CALLS] [{"name": "get_weather", "arguments": ${PARIS}, "id": "abcdef123"}, {"name": "get_time", "arguments": {}}]`,
    [text('Sure. '), call('get_weather', PARIS), call('get_time', '{}')],
  ],
  [
    'mistral: names with marks',
    MISTRAL,
    `[TOOL_CALLS]get_weather[CALL_ID]q1w2e3r4t[ARGS]${PARIS}[TOOL_CALLS]get_time{}`,
    [call('get_weather', PARIS, 'q1w2e3r4t'), call('get_time', '{}')],
  ],
  [
    'mistral: a list that does not begin with a call',
    MISTRAL,
    '[TOOL_CALLS] [{"city": 1}, {"name": "get_time", "arguments": {}}]',
    [text('[TOOL_CALLS] [{"city": 1}, {"name": "get_time", "arguments": {}}]')],
  ],
  ['mistral: a mark that is none', MISTRAL, 'The mark [TOOL_CALLS] is [TOOL', [text('The mark [TOOL_CALLS] is [TOOL')]],
  [
    'qwen-xml: text, number and list parameters',
    QWEN_XML,
    'I look.\n<tool_call>\n<function=get_weather>\n<parameter=city>\nParis "é😀"\n</p> x\n</parameter>\n<parameter=days>\n3\n</parameter>\n<parameter=tags>\n["a", 1]\n</parameter>\n</function>\n</tool_call>\n<tool_call><function=get_time></function></tool_call>',
    [
      text('I look.\n'),
      call('get_weather', '{"city": "Paris \\"é😀\\"\\n</p> x", "days": 3, "tags": ["a", 1]}'),
      text('\n'),
      call('get_time', '{}'),
    ],
  ],
  [
    'qwen-xml: no outer mark, unknown parameters',
    QWEN_XML,
    '<function=other><parameter=a>True</parameter><parameter=b>x y</parameter></function>',
    [call('other', '{"a": true, "b": "x y"}')],
  ],
  ['qwen-xml: a mark that is none', QWEN_XML, 'A <tool_call> is <function', [text('A <tool_call> is <function')]],
  [
    'glm: pairs',
    GLM,
    'Hm.<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>12</arg_value>\n<arg_key>days</arg_key>\n<arg_value>2</arg_value>\n</tool_call><tool_call>get_time\n</tool_call>',
    [text('Hm.'), call('get_weather', '{"city": "12", "days": 2}'), call('get_time', '{}')],
  ],
  ['glm: a mark that is none', GLM, '<tool_call>word and more', [text('<tool_call>word and more')]],
  [
    'deepseek: fenced arguments, two calls',
    DEEPSEEK,
    `Ok<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n\`\`\`json\n${PARIS}\n\`\`\`<｜tool▁call▁end｜>\n<｜tool▁call▁begin｜>function<｜tool▁sep｜>get_time\n\`\`\`json\n{}\n\`\`\`<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
    [text('Ok'), call('get_weather', PARIS), call('get_time', '{}')],
  ],
  [
    'deepseek: the newer form',
    DEEPSEEK,
    `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>${PARIS}<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
    [call('get_weather', PARIS)],
  ],
  [
    'deepseek: a line break behind the fence',
    DEEPSEEK,
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_time\n```json\n{}\n```\n<｜tool▁call▁end｜><｜tool▁calls▁end｜>.',
    [call('get_time', '{}'), text('.')],
  ],
  ['deepseek: a mark that is none', DEEPSEEK, 'x<｜tool▁calls▁begin｜>y', [text('x<｜tool▁calls▁begin｜>y')]],
  [
    'granite: a list',
    GRANITE,
    `<|tool_call|>[{"name": "get_weather", "arguments": ${PARIS}}, {"name": "get_time", "arguments": {}}]`,
    [call('get_weather', PARIS), call('get_time', '{}')],
  ],
  [
    'phi: a list and its end',
    PHI,
    'a<|tool_call|>[{"name": "get_time", "arguments": {}}]<|/tool_call|>b',
    [text('a'), call('get_time', '{}'), text('b')],
  ],
  [
    'command: a list with numbers for ids',
    COMMAND,
    `<|START_ACTION|>[\n    {"tool_call_id": "0", "tool_name": "get_weather", "parameters": ${PARIS}}\n]<|END_ACTION|>`,
    [call('get_weather', PARIS)],
  ],
  ['command: a mark that is none', COMMAND, '<|START_ACTION|> and []', [text('<|START_ACTION|> and []')]],
];

describe('calls in an answer', () => {
  it.each(CASES)('%s', (_, family, answer, expected) => {
    expect(read(family, [answer])).toEqual(expected);
  });

  it.each(CASES)('%s, cut anywhere between two bytes', (_, family, answer, expected) => {
    const bytes = Buffer.from(answer);
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      const utf8 = new Utf8Assembler();
      const pieces = [bytes.subarray(0, cut), bytes.subarray(cut)].map((part) => utf8.push(part));
      expect([cut, read(family, pieces)]).toEqual([cut, expected]);
    }
  });

  it.each(CASES)('%s, byte by byte', (_, family, answer, expected) => {
    const utf8 = new Utf8Assembler();
    const pieces = Array.from(Buffer.from(answer), (byte) => utf8.push(Uint8Array.of(byte)));
    expect(read(family, pieces)).toEqual(expected);
  });

  it.each(CASES.filter(([, , , expected]) => expected.some((found) => 'call' in found)))(
    '%s, cut off anywhere, gives a beginning of the same and never an earlier end of a call',
    (_, family, answer, expected) => {
      for (let end = 0; end < answer.length; end += 1) {
        // No half character ever comes out of an engine.
        if (/[\uDC00-\uDFFF]/.test(answer.charAt(end))) continue;
        const found = read(family, [answer.slice(0, end)]);
        const calls = found.filter((one) => 'call' in one);
        const wanted = expected.filter((one) => 'call' in one);
        expect(calls.length).toBeLessThanOrEqual(wanted.length);
        for (const [i, one] of calls.entries()) {
          const { args = '', call: name } = wanted[i] ?? {};
          expect([name, args.startsWith(one.args), !one.whole || one.args === args]).toEqual([one.call, true, true]);
        }
      }
    },
  );

  it('a call goes out before it is complete: the name first, then its arguments piece by piece', () => {
    const seen: string[] = [];
    const sink = {
      text: (x: string) => void seen.push(`text ${x}`),
      begin: (name: string) => void seen.push(`begin ${name}`),
      args: (x: string) => void seen.push(`args ${x}`),
      close: () => void seen.push('close'),
      broken: () => void seen.push('broken'),
    };
    const reader = new CallReader(HERMES, sink, TOOLS);
    for (const piece of ['Hi', '<tool', '_call>{"name": "f", "argum', 'ents": ', '{"a"', ': 1', '}', '}</tool_call>']) reader.push(piece);
    reader.end();
    expect(seen).toEqual(['text Hi', 'begin f', 'args {"a"', 'args : 1', 'args }', 'close']);
  });

  it.each([', {"city": 1}]', ', "get_time"]', ', {"name": "get_time", "arguments": [1]}]', ', ]', ',', ' {"name": "get_time"}]'])(
    'a list is broken where %j stands behind a call, and the call stays',
    (rest) => {
      const found = read(MISTRAL, [`[TOOL_CALLS][{"name": "f", "arguments": {"a": 1}}${rest}`]);
      expect(found).toEqual([call('f', '{"a": 1}'), { broken: true }]);
    },
  );

  it('an answer that ends behind a call of a list has lost nothing', () => {
    expect(read(MISTRAL, ['[TOOL_CALLS][{"name": "f", "arguments": {"a": 1}} '])).toEqual([call('f', '{"a": 1}')]);
  });

  it('arguments that are no object leave a call that never closes', () => {
    expect(read(HERMES, ['<tool_call>{"name": "f", "arguments": [1]}</tool_call>'])).toEqual([
      text('<tool_call>{"name": "f", "arguments": [1]}</tool_call>'),
    ]);
    expect(read(HERMES, ['<tool_call>{"name": "f", "arguments": {"a": 1} oops'])).toEqual([{ call: 'f', args: '{"a": 1}', whole: false }]);
  });
});
