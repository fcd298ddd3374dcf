import { call, type Case, PARIS, text } from './found-calls.js';

/** Answers of families that write arguments as JSON. */
export const JSON_ANSWERS: readonly Case[] = [
  [
    'hermes: text before, two calls, text after',
    `Let me look.\n<tool_call>\n{"name": "get_weather", "arguments": ${PARIS}}\n</tool_call>\n<tool_call>{"name":"get_time","arguments":{}}</tool_call> Done.`,
    [text('Let me look.\n'), call('get_weather', PARIS), text('\n'), call('get_time', '{}'), text(' Done.')],
  ],
  [
    'hermes: arguments before the name',
    `<tool_call>{"arguments": ${PARIS}, "name": "get_weather"}</tool_call>`,
    [call('get_weather', PARIS)],
  ],
  ['hermes: no arguments, an id', '<tool_call>{"id": "a1", "name": "get_time"}</tool_call>', [call('get_time', '', 'a1')]],
  [
    'hermes: arguments as JSON in a string',
    '<tool_call>{"name": "get_time", "arguments": "{\\"a\\": 1}"}</tool_call>',
    [call('get_time', '{"a": 1}')],
  ],
  [
    'hermes: arguments that are empty text, or null',
    '<tool_call>{"name": "get_time", "arguments": ""}</tool_call><tool_call>{"arguments": " ", "name": "get_time"}</tool_call><tool_call>{"name": "get_time", "arguments": null}</tool_call>',
    [call('get_time', ''), call('get_time', ''), call('get_time', '')],
  ],
  [
    'hermes: marks that are none',
    'a <tool_ and <tool_call> as a word, <tool_call>{"city": 1}</tool_call>, <<tool_call>',
    [text('a <tool_ and <tool_call> as a word, <tool_call>{"city": 1}</tool_call>, <<tool_call>')],
  ],
  [
    'hermes: brackets and quotes in strings',
    '<tool_call>{"name": "x", "arguments": {"a": "}]\\\\\\"{", "b": [[{}]]}}</tool_call>',
    [call('x', '{"a": "}]\\\\\\"{", "b": [[{}]]}')],
  ],
  ['llama-json: one call', `{"name": "get_weather", "parameters": ${PARIS}}`, [call('get_weather', PARIS)]],
  [
    'llama-json: two calls behind the tag, then words',
    '<|python_tag|>{"type": "function", "name": "get_time", "parameters": {}}; {"name": "get_weather", "parameters": {"city": "Rome"}} ok',
    [call('get_time', '{}'), call('get_weather', '{"city": "Rome"}'), text(' ok')],
  ],
  ['llama-json: JSON that names no tool', ' {"name": "Paris", "parameters": {}}', [text(' {"name": "Paris", "parameters": {}}')]],
  ['llama-json: words first', 'Use {"name": "get_time", "parameters": {}}', [text('Use {"name": "get_time", "parameters": {}}')]],
  [
    'mistral: a list',
    `Sure. [TOOL_CALLS] [{"name": "get_weather", "arguments": ${PARIS}, "id": "abcdef123"}, {"name": "get_time", "arguments": {}}]`,
    [text('Sure. '), call('get_weather', PARIS), call('get_time', '{}')],
  ],
  [
    'mistral: names with marks',
    `[TOOL_CALLS]get_weather[CALL_ID]q1w2e3r4t[ARGS]${PARIS}[TOOL_CALLS]get_time{}`,
    [call('get_weather', PARIS, 'q1w2e3r4t'), call('get_time', '{}')],
  ],
  [
    'mistral: a list that does not begin with a call',
    '[TOOL_CALLS] [{"city": 1}, {"name": "get_time", "arguments": {}}]',
    [text('[TOOL_CALLS] [{"city": 1}, {"name": "get_time", "arguments": {}}]')],
  ],
  ['mistral: a mark that is none', 'The mark [TOOL_CALLS] is [TOOL', [text('The mark [TOOL_CALLS] is [TOOL')]],
  [
    'deepseek: fenced arguments, two calls',
    `Ok<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n\`\`\`json\n${PARIS}\n\`\`\`<｜tool▁call▁end｜>\n<｜tool▁call▁begin｜>function<｜tool▁sep｜>get_time\n\`\`\`json\n{}\n\`\`\`<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
    [text('Ok'), call('get_weather', PARIS), call('get_time', '{}')],
  ],
  [
    'deepseek: the newer form',
    `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>${PARIS}<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
    [call('get_weather', PARIS)],
  ],
  [
    'deepseek: a line break behind the fence',
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_time\n```json\n{}\n```\n<｜tool▁call▁end｜><｜tool▁calls▁end｜>.',
    [call('get_time', '{}'), text('.')],
  ],
  ['deepseek: a mark that is none', 'x<｜tool▁calls▁begin｜>y', [text('x<｜tool▁calls▁begin｜>y')]],
  [
    'granite: a list',
    `<|tool_call|>[{"name": "get_weather", "arguments": ${PARIS}}, {"name": "get_time", "arguments": {}}]`,
    [call('get_weather', PARIS), call('get_time', '{}')],
  ],
  [
    'phi: a list and its end',
    'a<|tool_call|>[{"name": "get_time", "arguments": {}}]<|/tool_call|>b',
    [text('a'), call('get_time', '{}'), text('b')],
  ],
  [
    'command: a list with numbers for ids',
    `<|START_ACTION|>[\n    {"tool_call_id": "0", "tool_name": "get_weather", "parameters": ${PARIS}}\n]<|END_ACTION|>`,
    [call('get_weather', PARIS)],
  ],
  ['command: a mark that is none', '<|START_ACTION|> and []', [text('<|START_ACTION|> and []')]],
  [
    'harmony: a preamble, a call in the channel, no end',
    '<|channel|>commentary<|message|>I look.<|end|><|start|>assistant<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>{"city": "Rome"}<|call|>',
    [text('I look.'), call('get_weather', '{"city": "Rome"}')],
  ],
  [
    'harmony: a call in the role',
    '<|start|>assistant to=functions.get_time<|channel|>commentary json<|message|>{}',
    [call('get_time', '{}')],
  ],
  [
    'harmony: a final answer',
    '<|channel|>commentary to=assistant<|channel|>final<|message|>Go to=functions.here now<|return|>',
    [text('Go to=functions.here now')],
  ],
  [
    'kimi-k2: ids that name the tool',
    `Ok<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>${PARIS}<|tool_call_end|><|tool_call_begin|>functions.get_time:1<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>`,
    [text('Ok'), call('get_weather', PARIS, 'functions.get_weather:0'), call('get_time', '{}', 'functions.get_time:1')],
  ],
  [
    'solar: ids of the model',
    '<|tool_calls|><|tool_call:begin|>ab12cd34ef<|tool_call:name|>get_weather<|tool_call:args|>{"days": 2}<|tool_call:end|><|tool_call:begin|>x9<|tool_call:name|>get_time<|tool_call:args|>{}<|tool_call:end|><|calls|>',
    [call('get_weather', '{"days": 2}', 'ab12cd34ef'), call('get_time', '{}', 'x9')],
  ],
  ['solar: marks around text', '<|begin|>assistant<|content|>Hello<|end|>', [text('Hello')]],
  ['command-r: a list in a fence', 'Action:\n```json\n[{"tool_name": "get_time", "parameters": {}}]\n```', [call('get_time', '{}')]],
  [
    'command-r: a mark that is none',
    'Action: ```json\n[{"tool_name": "directly-answer", "parameters": {}}]',
    [text('Action: ```json\n[{"tool_name": "directly-answer", "parameters": {}}]')],
  ],
  [
    'apertus: names as keys',
    `<|tools_prefix|>[{"get_weather": ${PARIS}}, {"get_time": {}}]<|tools_suffix|>`,
    [call('get_weather', PARIS), call('get_time', '{}')],
  ],
  ['nemotron: a list', '<TOOLCALL>[{"name": "get_time", "arguments": {}}]</TOOLCALL>', [call('get_time', '{}')]],
  ['gigachat-3.1: one call', '<|function_call|>{"name": "get_time", "arguments": {}}', [call('get_time', '{}')]],
  [
    'gigachat: a call as a role of its own',
    'Ok<|message_sep|>\n\nfunction call<|role_sep|>\n{"name": "get_time", "arguments": {}}',
    [text('Ok'), call('get_time', '{}')],
  ],
  [
    'apriel: a list behind the reasoning',
    '[BEGIN FINAL RESPONSE]\n<tool_calls>[{"name": "get_time", "arguments": {}, "id": "c1"}]</tool_calls>',
    [text('\n'), call('get_time', '{}', undefined)],
  ],
  [
    'minimax-m1: calls in lines',
    '<tool_calls>\n{"name": "get_weather", "arguments": {"days": 1}}\n{"name": "get_time", "arguments": {}}\n</tool_calls>',
    [call('get_weather', '{"days": 1}'), call('get_time', '{}')],
  ],
  [
    'functionary-3.2: text, then two calls',
    'all\nI look.>>>get_weather\n{"days": 1}>>>get_time\n{}',
    [text('I look.'), call('get_weather', '{"days": 1}'), call('get_time', '{}')],
  ],
  ['functionary-3.2: a call at once', 'get_time\n{}', [call('get_time', '{}')]],
  ['functionary-3.2: text that holds the mark', 'all\n1 >>> 2', [text('1 >>> 2')]],
  [
    'functionary: names in the mark',
    '<function=get_weather>{"days": 1}</function><function=get_time>{}</function>',
    [call('get_weather', '{"days": 1}'), call('get_time', '{}')],
  ],
  ['firefunction: a list', ' functools[{"name": "get_time", "arguments": {}}]', [text(' '), call('get_time', '{}')]],
];
