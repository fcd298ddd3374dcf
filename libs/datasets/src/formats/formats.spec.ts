import { describe, expect, it } from 'vitest';
import { detectFormat } from '../detect.js';
import { chatLines, validated } from '../validated.fixture.js';
import type { ValidationOptions } from '../validation.js';

const json = JSON.stringify;
const tool = { type: 'function', function: { name: 'find', description: 'Finds', parameters: { type: 'object', properties: {} } } };
const said = (role: string, content: string) => ({ role, content });
const [q, a] = [said('user', 'q'), said('assistant', 'a')];

/** A file of one example, and the canonical line that comes of it. */
const EXAMPLES: readonly (readonly [name: string, format: string, line: string, canonical: string])[] = [
  [
    'OpenAI chat with weights and tools',
    'chat',
    json({
      messages: [
        said('system', 's'),
        q,
        { ...a, weight: 0 },
        q,
        { role: 'assistant', tool_calls: [{ id: 'c', type: 'function', function: { name: 'find', arguments: '{"x": 1}' } }] },
        { role: 'tool', tool_call_id: 'c', content: 'r' },
        { ...a, weight: 1 },
      ],
      tools: [tool],
      parallel_tool_calls: true,
    }),
    `{"tools":[${json(tool)}],"parallel_tool_calls":true,"messages":[{"role":"system","content":"s"},{"role":"user","content":"q"},{"role":"assistant","content":"a","weight":0},{"role":"user","content":"q"},{"role":"assistant","content":"","tool_calls":[{"id":"c","type":"function","function":{"name":"find","arguments":{"x":1}}}]},{"role":"tool","content":"r","tool_call_id":"c"},{"role":"assistant","content":"a"}]}`,
  ],
  [
    'prompt and completion as text',
    'prompt_completion',
    json({ prompt: 'q', completion: ' a' }),
    json({ messages: [q, said('assistant', ' a')] }),
  ],
  [
    'prompt and completion as messages',
    'prompt_completion',
    json({ prompt: [said('system', 's'), q], completion: [a] }),
    json({ messages: [said('system', 's'), q, a] }),
  ],
  [
    'ShareGPT',
    'sharegpt',
    json({
      conversations: [
        { from: 'system', value: 's' },
        { from: 'human', value: 'q' },
        { from: 'gpt', value: 'a' },
      ],
    }),
    json({ messages: [said('system', 's'), q, a] }),
  ],
  [
    'ShareGPT with calls',
    'sharegpt',
    json({
      system: 's',
      tools: json([tool.function]),
      conversations: [
        { from: 'human', value: 'q' },
        { from: 'function_call', value: '{"name":"find","arguments":{"n":1.0}}' },
        { from: 'observation', value: 'r' },
        { from: 'gpt', value: 'a' },
      ],
    }),
    `{"tools":[${json({ type: 'function', function: tool.function })}],"messages":[{"role":"system","content":"s"},{"role":"user","content":"q"},{"role":"assistant","content":"","tool_calls":[{"type":"function","function":{"name":"find","arguments":{"n":1.0}}}]},{"role":"tool","content":"r"},{"role":"assistant","content":"a"}]}`,
  ],
  ['Alpaca', 'alpaca', json({ instruction: 'q', input: '', output: 'a' }), json({ messages: [q, a] })],
  [
    'Alpaca with input, system and history',
    'alpaca',
    json({ instruction: 'Add', input: '1, 2', output: '3', system: 's', history: [['q', 'a']] }),
    json({ messages: [said('system', 's'), q, a, said('user', 'Add\n\n1, 2'), said('assistant', '3')] }),
  ],
  [
    'OpenAI preference',
    'openai_preference',
    json({
      input: { messages: [q], tools: [tool], parallel_tool_calls: false },
      preferred_output: [a],
      non_preferred_output: [said('assistant', 'b')],
    }),
    `{"tools":[${json(tool)}],"parallel_tool_calls":false,${json({ prompt: [q], chosen: [a], rejected: [said('assistant', 'b')] }).slice(1)}`,
  ],
  [
    'TRL preference as text',
    'trl_preference',
    json({ prompt: 'q', chosen: 'a', rejected: 'b' }),
    json({ prompt: [q], chosen: [a], rejected: [said('assistant', 'b')] }),
  ],
  [
    'TRL preference as messages',
    'trl_preference',
    json({ prompt: [q], chosen: [a], rejected: [said('assistant', 'b')] }),
    json({ prompt: [q], chosen: [a], rejected: [said('assistant', 'b')] }),
  ],
  [
    'TRL preference with the prompt in both answers',
    'trl_preference',
    json({ prompt: 'q', chosen: [q, a], rejected: [q, said('assistant', 'b')] }),
    json({ prompt: [q], chosen: [a], rejected: [said('assistant', 'b')] }),
  ],
  [
    'TRL preference without prompt',
    'trl_preference',
    json({ chosen: [q, a], rejected: [q, said('assistant', 'b')] }),
    json({ prompt: [q], chosen: [a], rejected: [said('assistant', 'b')] }),
  ],
];

describe('a file of', () => {
  it.each(EXAMPLES)('%s is found and converted', async (_, format, line, canonical) => {
    const { result, lines } = await validated(line);
    expect(result.issues.map(({ message }) => message)).toEqual(['1 example. Below 10 a model mostly memorises.']);
    expect(result).toMatchObject({ state: 'ready', format, kind: format.endsWith('preference') ? 'preference' : 'sft' });
    expect(lines).toEqual([canonical]);
    expect((await validated(canonical)).lines).toEqual([canonical]);
  });

  it.each([
    [
      'sharegpt',
      json({
        conversations: [
          { from: 'human', value: 'q' },
          { from: 'bot', value: 'a' },
        ],
      }),
      'Line 1, conversations[1]: role "bot" is none of system, human, gpt, function_call, tool, observation.',
    ],
    [
      'sharegpt',
      json({
        conversations: [
          { from: 'human', value: 'q' },
          { from: 'function_call', value: 'find()' },
        ],
      }),
      'Line 1: tool_calls[0].function.arguments is not a JSON object.',
    ],
    ['sharegpt', json({ conversations: 'x' }), 'Line 1: "conversations" must be a list of at least 2 messages.'],
    ['alpaca', json({ instruction: 1, output: 'a' }), 'Line 1, instruction must be text. Images are not supported by this base.'],
    ['alpaca', json({ instruction: 'q', output: '' }), 'Line 1, output: an assistant message needs content or tool_calls.'],
    ['prompt_completion', json({ prompt: 'q', completion: '' }), 'Line 1, completion: an assistant message needs content or tool_calls.'],
    [
      'openai_preference',
      json({ input: {}, preferred_output: [a], non_preferred_output: [a] }),
      'Line 1: "input.messages" must be a list of at least 1 message.',
    ],
    [
      'openai_preference',
      json({ input: { messages: [q] }, preferred_output: [a], non_preferred_output: [a] }),
      'Line 1: both answers are the same.',
    ],
  ])('%s names what is wrong in its own words', async (_, line, message) => {
    const { result } = await validated(line);
    expect(result.issues[0]?.message).toBe(message);
    expect(result.examples).toBe(0);
  });
});

describe('the format', () => {
  it('is the one that most of the first lines have', async () => {
    const other = Array.from({ length: 30 }, (_, i) => json({ instruction: `q${i}`, output: 'a' }));
    const { result } = await validated([...other, ...chatLines(60)].join('\n'));
    expect(result).toMatchObject({ format: 'chat', rejected: 30 });
    expect(detectFormat(Buffer.from([...other, ...chatLines(20)].join('\n'))).format).toBe('alpaca');
  });

  it('can be chosen, also where lines fit two', async () => {
    const line = json({ messages: [q, a], prompt: 'p', completion: 'c' });
    expect((await validated(line)).result.issues[0]?.rule).toBe('two_formats');
    expect((await validated(line, { format: 'chat' })).lines).toEqual([json({ messages: [q, a] })]);
    expect((await validated(line, { format: 'prompt_completion' })).lines).toEqual([
      json({ messages: [said('user', 'p'), said('assistant', 'c')] }),
    ]);
    expect((await validated(chatLines(3).join('\n'), { format: 'alpaca' })).result.issues[0]?.message).toBe(
      'Line 1 is of the format chat; this file is read as Alpaca.',
    );
  });

  it('of an array is that of its elements', () => {
    expect(detectFormat(Buffer.from(`[${json({ conversations: [] })}]`))).toMatchObject({ format: 'sharegpt', array: true });
    expect(detectFormat(Buffer.from('\ufeff\n [ \n'))).toMatchObject({ format: null, array: true });
    expect(detectFormat(Buffer.from(`[${'{"messages":[]},'.repeat(10)}`))).toMatchObject({ format: 'chat', array: true });
    expect(detectFormat(Buffer.from('[1]\n[2]\n'))).toMatchObject({ format: null, array: false });
  });

  it('of other files is not guessed', () => {
    for (const text of ['', 'hello world', '{"messages": broken', '<xml/>', 'one, two\nthree', '\x00\x01']) {
      const { format, array } = detectFormat(Buffer.from(text));
      expect([format === 'csv' ? null : format, array]).toEqual([null, false]);
    }
  });

  it('is not UTF-8 in files of other encodings', async () => {
    expect((await validated(Buffer.from(`\ufeff${chatLines(2).join('\n')}`, 'utf16le'))).result.issues[0]?.message).toBe(
      'Line 1 is not UTF-8: byte 0xFF at position 1. Save the file as UTF-8.',
    );
  });
});

describe('a CSV file', () => {
  const read = async (text: string, options: ValidationOptions = {}) => {
    const { result, lines, lineNumbers, rejected } = await validated(text, options);
    return {
      result,
      lines,
      lineNumbers,
      rejected,
      messages: result.issues.filter(({ rule }) => rule !== 'too_few').map(({ message }) => message),
    };
  };

  it('is read by the names of its columns, with the line of each record', async () => {
    const { result, lines, lineNumbers, messages } = await read('Question,Answer,id,System\n"q","a, ""b""\r\nc",1,\nq2,a2,2,s\n');
    expect(result).toMatchObject({
      state: 'ready',
      format: 'csv',
      columns: { prompt: 'Question', completion: 'Answer', system: 'System' },
    });
    expect(lines).toEqual([
      json({ messages: [q, said('assistant', 'a, "b"\r\nc')] }),
      json({ messages: [said('system', 's'), said('user', 'q2'), said('assistant', 'a2')] }),
    ]);
    expect(lineNumbers).toEqual([2, 4]);
    expect(messages).toEqual([]);
  });

  it('is read by columns that were chosen', async () => {
    const { lines } = await read('a;b;c\n1;2;3\n', { columns: { prompt: 'c', completion: 'a' }, format: 'csv' });
    expect(lines).toEqual([json({ messages: [said('user', '3'), said('assistant', '1')] })]);
  });

  it('with the columns of Alpaca joins instruction and input', async () => {
    expect((await read('instruction,input,output\nAdd,"1, 2",3\n')).lines).toEqual([
      json({ messages: [said('user', 'Add\n\n1, 2'), said('assistant', '3')] }),
    ]);
  });

  it.each([
    ['a,b,c\n1,2,3', {}, 'Line 1 names no column "prompt".'],
    ['prompt,completion\n1,2', { columns: { prompt: 'prompt', completion: 'answer' } }, 'Line 1 names no column "answer".'],
  ])('without the wanted columns is unreadable: %j', async (text, options, detail) => {
    const { result } = await read(text, { format: 'csv', ...options });
    expect(result).toMatchObject({ state: 'invalid', reason: 'unreadable', detail, examples: 0 });
  });

  it('names broken records by their lines, and gives them back', async () => {
    const { messages, rejected } = await read('prompt,completion\nq,a\nq\n"q"x,a\nq3,\n"q\nlong",a,b\nlast,"open');
    expect(messages).toEqual([
      'Line 3 has 1 fields; the first line names 2.',
      'Line 4 is not CSV: text after a closing quote at column 4.',
      'Line 5, completion: an assistant message needs content or tool_calls.',
      'Line 6 has 3 fields; the first line names 2.',
      'Line 8 is not CSV: a quote that is never closed at column 6.',
    ]);
    expect(rejected.slice(0, 3)).toEqual(['"prompt","completion"', '"q"', '"q3",""']);
  });

  it('has its texts looked at like others', async () => {
    expect((await read('prompt,completion\na\u202eb,<s>\n', { controlTokens: ['<s>'] })).messages).toEqual([
      'Line 2 contains "<s>": it will be learned as text, not as a marker.',
      'Line 2 holds an invisible character U+202E.',
    ]);
  });
});
