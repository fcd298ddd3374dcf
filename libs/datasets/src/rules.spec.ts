import { formatKey } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { RULES, bitOf, rulesOf, shown } from './rules.js';
import { chatLine, chatLines, validated } from './validated.fixture.js';
import type { ValidationOptions } from './validation.js';

const user = { role: 'user', content: 'q' };
const answer = { role: 'assistant', content: 'a' };
const chat = (...messages: unknown[]) => JSON.stringify({ messages });
const call = (given: unknown, id = 'c1', name = 'find') => ({ id, type: 'function', function: { name, arguments: given } });
const calling = (...calls: unknown[]) => ({ role: 'assistant', content: null, tool_calls: calls });
const tools = [{ type: 'function', function: { name: 'find', parameters: { type: 'object' } } }];
const withTools = (...messages: unknown[]) => JSON.stringify({ tools, messages });
const pair = (prompt: unknown, chosen: unknown, rejected: unknown) => JSON.stringify({ prompt, chosen, rejected });
const KEY = formatKey('dep', new Uint8Array(32).fill(9));

/** rule, its line, its message, its path. The line stands third in a file of 300. */
const CASES: readonly (readonly [rule: string, line: string | Buffer, message: string, path?: string, options?: ValidationOptions])[] = [
  ['not_utf8', Buffer.from([0x7b, 0x22, 0xe9, 0x22, 0x7d]), 'Line 3 is not UTF-8: byte 0xE9 at position 3. Save the file as UTF-8.'],
  ['not_json', '{"messages": [}', 'Line 3 is not JSON: "}" where a value should be at column 15. Each line must be one complete object.'],
  ['not_json', '{"é😀": tru', 'Line 3 is not JSON: "t" where a value should be at column 8. Each line must be one complete object.'],
  ['not_object', '42', 'Line 3 holds a number, not an object.'],
  ['not_object', '[1]', 'Line 3 holds a list, not an object.'],
  ['not_object', '"x"', 'Line 3 holds a text, not an object.'],
  ['not_object', 'null', 'Line 3 holds null, not an object.'],
  ['not_object', 'true', 'Line 3 holds a boolean, not an object.'],
  ['line_too_long', chatLine('x'.repeat(1024 ** 2), 'a'), 'Line 3 is longer than 1 MiB.'],
  ['too_deep', `{"messages":${'['.repeat(64)}${']'.repeat(64)}}`, 'Line 3 nests deeper than 64 levels.'],
  ['duplicate_key', '{"messages":[],"messages":[]}', 'Line 3 names "messages" twice.'],
  [
    'duplicate_key',
    withTools(user, calling(call('{"a":1,"a":2}'))),
    'Line 3 names "a" twice.',
    'messages[1].tool_calls[0].function.arguments',
  ],
  ['unknown_format', '{"text":"x"}', 'Line 3 has neither "messages" nor "prompt" and "completion".'],
  ['unknown_format', '{"prompt":"x","completion":"y"}', 'Line 3 is of the format prompt and completion; this file is read as chat.'],
  ['two_formats', '{"messages":[],"prompt":"x","completion":"y"}', 'Line 3 fits two formats (chat, prompt and completion); remove one.'],
  ['missing_messages', '{"messages":"x"}', 'Line 3: "messages" must be a list of at least 2 messages.', 'messages'],
  ['missing_messages', '{"messages":["x","y"]}', 'Line 3: "messages" must be a list of at least 2 messages.', 'messages'],
  ['empty_messages', '{"messages":[]}', 'Line 3: "messages" must be a list of at least 2 messages.', 'messages'],
  ['empty_messages', chat(answer), 'Line 3: "messages" must be a list of at least 2 messages.', 'messages'],
  [
    'bad_role',
    chat(user, { role: 'robot', content: 'a' }),
    'Line 3, messages[1]: role "robot" is none of system, user, assistant, tool.',
    'messages[1].role',
  ],
  [
    'bad_role',
    chat({ role: '__proto__', content: 'a' }, answer),
    'Line 3, messages[0]: role "__proto__" is none of system, user, assistant, tool.',
    'messages[0].role',
  ],
  [
    'missing_content',
    chat(user, { role: 'assistant' }),
    'Line 3, messages[1]: an assistant message needs content or tool_calls.',
    'messages[1]',
  ],
  [
    'empty_assistant',
    chat(user, { role: 'assistant', content: '' }),
    'Line 3, messages[1]: an assistant message needs content or tool_calls.',
    'messages[1]',
  ],
  [
    'content_type',
    chat({ role: 'user', content: [{ type: 'image_url', image_url: { url: 'x' } }] }, answer),
    'Line 3, messages[0].content must be text. Images are not supported by this base.',
    'messages[0].content',
  ],
  [
    'content_type',
    chat({ role: 'user' }, answer),
    'Line 3, messages[0].content must be text. Images are not supported by this base.',
    'messages[0].content',
  ],
  ['system_not_first', chat(user, { role: 'system', content: 's' }, answer), 'Line 3: the system message is not the first.', 'messages[1]'],
  ['order', chat(user, user, answer), 'Line 3: two user messages in a row.', 'messages[1]'],
  ['order', chat(user, answer, answer), 'Line 3: two assistant messages in a row.', 'messages[2]'],
  ['no_assistant', chat(user, { role: 'tool', content: 'x' }), 'Line 3 has no assistant message to learn from.'],
  ['no_learned_turn', chat(user, { ...answer, weight: 0 }), 'Line 3: every assistant message has weight 0.'],
  ['bad_weight', chat(user, { ...answer, weight: 0.5 }), 'Line 3, messages[1].weight must be 0 or 1.', 'messages[1].weight'],
  [
    'ends_with_user',
    chat(user, answer, user),
    'Line 3 ends with a user message; what follows the last assistant message is not used.',
    'messages[2]',
  ],
  [
    'tool_call_shape',
    withTools(user, calling(call('[1]'))),
    'Line 3: tool_calls[0].function.arguments is not a JSON object.',
    'messages[1].tool_calls[0].function.arguments',
  ],
  [
    'tool_call_shape',
    withTools(user, calling(call({}), call('{'))),
    'Line 3: tool_calls[1].function.arguments is not a JSON object.',
    'messages[1].tool_calls[1].function.arguments',
  ],
  [
    'tool_call_shape',
    withTools(user, calling({ id: 'x' })),
    'Line 3: tool_calls[0].function is not an object.',
    'messages[1].tool_calls[0].function',
  ],
  ['tool_call_shape', withTools(user, { ...answer, tool_calls: {} }), 'Line 3: tool_calls is not a list.', 'messages[1].tool_calls'],
  [
    'tool_unknown',
    withTools(user, calling(call({}, 'c1', 'seek'))),
    'Line 3: tool_calls[0] names "seek", which "tools" does not offer.',
    'messages[1].tool_calls[0].function.name',
  ],
  [
    'tool_unknown',
    chat(user, calling(call({}))),
    'Line 3: tool_calls[0] names "find", which "tools" does not offer.',
    'messages[1].tool_calls[0].function.name',
  ],
  [
    'tool_unanswered',
    withTools(user, calling(call({}, 'c1'), call({}, 'c2')), { role: 'tool', tool_call_id: 'c1', content: 'x' }, answer),
    'Line 3: call "c2" has no tool message.',
    'messages[1].tool_calls',
  ],
  [
    'tools_shape',
    JSON.stringify({ tools: [{ type: 'function' }], messages: [user, answer] }),
    'Line 3: tools[0].function is not an object.',
    'tools[0].function',
  ],
  ['tools_shape', JSON.stringify({ tools: 7, messages: [user, answer] }), 'Line 3: tools is not a list of tools.', 'tools'],
  [
    'control_token',
    chatLine('x <|im_end|> y', 'a'),
    'Line 3 contains "<|im_end|>": it will be learned as text, not as a marker.',
    'messages[0].content',
    { controlTokens: ['<|im_end|>'] },
  ],
  [
    'control_token',
    '{"messages":[{"role":"user","content":"\\u003c|im_end|>"},{"role":"assistant","content":"a"}]}',
    'Line 3 contains "<|im_end|>": it will be learned as text, not as a marker.',
    'messages[0].content',
    { controlTokens: ['<|im_end|>'] },
  ],
  [
    'lone_surrogate',
    '{"messages":[{"role":"user","content":"\\ud800"},{"role":"assistant","content":"a"}]}',
    'Line 3 holds half a UTF-16 pair.',
    'messages[0].content',
  ],
  [
    'lone_surrogate',
    withTools(user, calling(call('{"a":"\\udc00"}'))),
    'Line 3 holds half a UTF-16 pair.',
    'messages[1].tool_calls[0].function',
  ],
  ['control_char', chatLine('a\u202eb', 'a'), 'Line 3 holds an invisible character U+202E.', 'messages[0].content'],
  ['control_char', chatLine('q', 'a\u0000b'), 'Line 3 holds an invisible character U+0000.', 'messages[1].content'],
  ['duplicate', chatLine('question 0', 'answer 0'), 'Line 3 repeats line 1.'],
  ['conflict', chatLine('question 1', 'no'), 'Line 3 answers the prompt of line 2 differently.'],
  [
    'too_long',
    chatLine('three', 'words'),
    'Line 3 has 12 tokens; the base takes 8. Choose: leave out (default), cut at the start, or refuse.',
    '',
    { lengths: { context: 8, count: (line) => (line.includes('three') ? 12 : 3) } },
  ],
  ['secret_like', chatLine(`my key is ${KEY}`, 'a'), 'Line 3 looks as if it held a credential (Slipway key).', 'messages[0].content'],
  [
    'secret_like',
    withTools(user, calling(call(JSON.stringify({ k: ['AK', 'IA', 'B'.repeat(16)].join('') })))),
    'Line 3 looks as if it held a credential (AWS key).',
    'messages[1].tool_calls[0].function',
  ],
];

const PREFERENCES: typeof CASES = [
  ['preference_equal', pair('q', 'same', 'same'), 'Line 3: both answers are the same.'],
  [
    'preference_prompt',
    JSON.stringify({ chosen: [{ ...user, content: 'x' }, answer], rejected: [user, answer] }),
    'Line 3: chosen and rejected start from different prompts.',
  ],
  [
    'preference_prompt',
    pair([user], [user, answer], [{ ...user, content: 'other' }, answer]),
    'Line 3: chosen and rejected start from different prompts.',
  ],
  ['missing_messages', pair(7, 'a', 'b'), 'Line 3: "prompt" must be a list of at least 1 message.', 'prompt'],
  ['empty_assistant', pair('q', '', 'b'), 'Line 3, chosen: an assistant message needs content or tool_calls.', 'chosen'],
  ['no_assistant', pair('q', [{ role: 'user', content: 'z' }], 'b'), 'Line 3 has no assistant message to learn from.'],
];

async function expectCase([rule, line, message, path = '', options = {}]: (typeof CASES)[number], others: string[]) {
  const file = Buffer.concat([
    Buffer.from(`${others.slice(0, 2).join('\n')}\n`),
    Buffer.from(line),
    Buffer.from(`\n${others.slice(2).join('\n')}\n`),
  ]);
  const { result, lineNumbers, warnings, rejected } = await validated(file, options);
  const { severity } = RULES[rule as keyof typeof RULES];
  expect(result.issues).toEqual([{ line: 3, path, rule, severity, message }]);
  expect(result.totals).toEqual([{ rule, severity, count: 1 }]);
  expect(result).toMatchObject({ rejected: severity === 'error' ? 1 : 0, examples: severity === 'error' ? 299 : 300 });
  expect(result.state).toBe(severity === 'error' ? 'invalid' : 'ready');
  if (severity === 'warning') expect(rulesOf(warnings[lineNumbers.indexOf(3)]!)).toEqual([rule]);
  else if (rule !== 'line_too_long' && rule !== 'not_utf8') expect(rejected).toEqual([line]);
}

describe('a line', () => {
  it.each(CASES.map((one) => ({ rule: one[0], one })))('that breaks $rule is named with its line', async ({ one }) => {
    await expectCase(one, chatLines(299));
  });

  it.each(PREFERENCES.map((one) => ({ rule: one[0], one })))('of preferences that breaks $rule is named', async ({ one }) => {
    await expectCase(
      one,
      Array.from({ length: 299 }, (_, i) => pair(`q${i}`, `good ${i}`, `bad ${i}`)),
    );
  });

  it('may break several rules, and is refused once', async () => {
    const line = chat({ role: 'x', content: 1 }, { role: 'assistant', content: '', weight: 3 });
    const { result } = await validated([...chatLines(200), line].join('\n'));
    expect(result.issues.map(({ rule }) => rule)).toEqual(['bad_role', 'empty_assistant', 'bad_weight']);
    expect(result.rejected).toBe(1);
  });
});

describe('a file', () => {
  it.each(['', '\n\n', '\ufeff', '  \n\t\r\n'])('without examples is refused: %j', async (text) => {
    const { result } = await validated(text);
    expect(result).toMatchObject({ state: 'invalid', reason: 'empty', detail: 'The file holds no examples.' });
    expect(result.issues.filter(({ severity }) => severity === 'error')).toEqual([
      { line: 0, path: '', rule: 'empty_file', severity: 'error', message: 'The file holds no examples.' },
    ]);
  });

  it('gets its repairs said once, and keeps the line numbers', async () => {
    const lines = chatLines(20);
    const text = `\ufeff${lines.slice(0, 10).join('\r\n')}\r\n\n  \n${lines.slice(10).join('\n')}`;
    const { result, lines: kept, lineNumbers } = await validated(text);
    expect(result.state).toBe('ready');
    expect(result.issues.map(({ line, message }) => `${line} ${message}`)).toEqual([
      '0 The file begins with a byte order mark. It was left out.',
      '0 10 lines ended with CRLF and became LF.',
      '0 2 blank lines left out.',
    ]);
    expect(result.totals.map(({ rule, count }) => `${rule} ${count}`)).toEqual(['crlf 10', 'blank_line 2', 'bom 1']);
    expect(kept).toEqual(lines);
    expect(lineNumbers.slice(9, 12)).toEqual([10, 13, 14]);
  });

  it('of few examples is ready with a warning', async () => {
    const { result } = await validated(chatLines(9).join('\n'));
    expect(result).toMatchObject({
      state: 'ready',
      issues: [{ message: '9 examples. Below 10 a model mostly memorises.', rule: 'too_few' }],
    });
    expect((await validated(chatLines(1).join('\n'))).result.issues[0]?.message).toBe('1 example. Below 10 a model mostly memorises.');
  });

  it('that is one JSON array is refused with the repair offered', async () => {
    const { result, lines } = await validated(`[\n${chatLines(20).join(',\n')}\n]\n`);
    expect(result).toMatchObject({
      state: 'invalid',
      reason: 'unreadable',
      detail: 'The file is one JSON array. Write one object per line; "Convert" does it for you.',
      repairs: ['convert_array'],
      examples: 0,
    });
    expect(lines).toEqual([]);
  });
});

it('warnings stand for their rules as bits', () => {
  const warnings = Object.keys(RULES).filter((rule) => bitOf(rule as keyof typeof RULES) !== 0);
  expect(warnings).toHaveLength(10);
  const all = warnings.reduce((bits, rule) => bits | bitOf(rule as keyof typeof RULES), 0);
  expect(rulesOf(all).sort()).toEqual(warnings.sort());
  expect(rulesOf(0)).toEqual([]);
});

it('names out of a file are cut and made visible', () => {
  expect(shown('a\nb\u202e')).toBe('a\\u{A}b\\u{202E}');
  expect(shown('x'.repeat(100))).toBe(`${'x'.repeat(40)}…`);
});
