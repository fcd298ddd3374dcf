import { listBody, namedBody, objectBody } from './call-body.js';
import type { CallKeys } from './call-objects.js';
import { maybe, NAME, text } from './call-steps.js';
import type { FamilyRow } from './family-engine.js';

const KEYS: CallKeys = { name: ['name'], args: ['arguments', 'parameters'], id: ['id'] };
const COMMAND_KEYS: CallKeys = { name: ['tool_name', 'name'], args: ['parameters', 'arguments'], id: [] };
const DEEPSEEK_MARKS = { open: '<｜tool▁calls▁begin｜>', close: '<｜tool▁calls▁end｜>' };
const DEEPSEEK_CALL = { open: '<｜tool▁call▁begin｜>', name: '<｜tool▁sep｜>', close: '<｜tool▁call▁end｜>' };
/** The families that write arguments as one JSON object. The comments name the models, by their templates in llama.cpp. */
export const JSON_FAMILIES: readonly FamilyRow[] = [
  // openai-gpt-oss
  {
    name: 'harmony',
    shows: [['<|channel|>commentary', 'functions.']],
    opens: [
      '<|channel|>commentary to=functions.',
      '<|channel|>analysis to=functions.',
      '<|start|>assistant to=functions.',
      ' to=functions.',
    ],
    body: namedBody({
      head: [
        NAME,
        {
          is: 'until',
          text: '<|message|>',
          gbnf: '("<|channel|>" ("commentary" | "analysis"))? (" "? "<|constrain|>json" | " json")? "<|message|>"',
        },
      ],
    }),
    close: '',
    between: null,
    silent: [
      '<|start|>assistant',
      '<|channel|>final<|message|>',
      '<|channel|>final <|constrain|>json<|message|>',
      '<|channel|>final json<|message|>',
      '<|channel|>commentary<|message|>',
      '<|channel|>commentary to=assistant',
      '<|end|>',
      '<|return|>',
      '<|call|>',
    ],
    head: '<|channel|>final<|message|>',
    reasoning: { open: '<|channel|>analysis<|message|>', close: '<|end|>', again: true },
    tokens: ['<|constrain|>'],
  },
  // Kimi-K2, Kimi-K2-Instruct, Kimi-K2-Thinking
  {
    name: 'kimi-k2',
    shows: [['<|tool_call_begin|>', '<|tool_call_argument_begin|>']],
    section: { open: '<|tool_calls_section_begin|>', close: '<|tool_calls_section_end|>' },
    opens: ['<|tool_call_begin|>'],
    body: namedBody({
      head: [maybe('functions.'), NAME, { is: 'id', mark: ':', gbnf: '[0-9] [0-9]?' }, text('<|tool_call_argument_begin|>')],
      id: (index, name) => `functions.${name}:${index}`,
      tail: ['<|tool_call_end|>'],
    }),
    close: '',
    between: '',
    reasoning: { open: '<think>', close: '</think>', until: ['<|tool_calls_section_begin|>'] },
  },
  // Solar-Open
  {
    name: 'solar',
    shows: [['<|tool_call:begin|>', '<|tool_call:args|>']],
    section: { open: '<|tool_calls|>', close: '<|calls|>' },
    opens: ['<|tool_call:begin|>'],
    body: namedBody({
      head: [{ is: 'id', mark: '', gbnf: '[a-z0-9] [a-z0-9]{7,23}' }, text('<|tool_call:name|>'), NAME, text('<|tool_call:args|>')],
      tail: ['<|tool_call:end|>'],
    }),
    close: '',
    between: '',
    silent: ['<|begin|>assistant', '<|content|>', '<|end|>', '<|flush|>'],
    head: '<|content|>',
    reasoning: { open: '<|think|>', close: '<|end|>' },
  },
  // DeepSeek V3 and R1; their templates that print tools
  {
    name: 'deepseek-fenced',
    shows: [[DEEPSEEK_CALL.open, '```json']],
    section: DEEPSEEK_MARKS,
    opens: [DEEPSEEK_CALL.open],
    body: namedBody({
      head: [maybe(`function${DEEPSEEK_CALL.name}`), NAME, maybe(DEEPSEEK_CALL.name, false), maybe('\n```json\n')],
      tail: ['\n```', DEEPSEEK_CALL.close],
    }),
    close: '',
    between: '\n',
  },
  // DeepSeek-V3.1
  {
    name: 'deepseek',
    shows: [[DEEPSEEK_CALL.open]],
    section: DEEPSEEK_MARKS,
    opens: [DEEPSEEK_CALL.open],
    body: namedBody({
      head: [maybe(`function${DEEPSEEK_CALL.name}`, false), NAME, maybe(DEEPSEEK_CALL.name), maybe('```json', false)],
      tail: [DEEPSEEK_CALL.close],
      unwritten: ['```'],
    }),
    close: '',
    between: '\n',
  },
  // Mistral-Small-3.2, Ministral-3-Reasoning, Devstral-Small-2507
  {
    name: 'mistral-named',
    shows: [['[TOOL_CALLS]', '[ARGS]']],
    opens: ['[TOOL_CALLS]'],
    body: namedBody({ head: [NAME, { is: 'id', mark: '[CALL_ID]', gbnf: null }, maybe('[ARGS]')], list: KEYS }),
    close: '',
    between: '',
    idLength: 9,
  },
  // Mistral-Nemo-Instruct-2407
  {
    name: 'mistral',
    shows: [['[TOOL_CALLS]']],
    opens: ['[TOOL_CALLS]'],
    body: namedBody({ head: [NAME, { is: 'id', mark: '[CALL_ID]', gbnf: null }, maybe('[ARGS]')], list: KEYS, writesList: true }),
    close: '',
    between: null,
    idLength: 9,
    tokens: ['[ARGS]', '[CALL_ID]'],
  },
  // c4ai-command-r7b, Cohere2MoE
  {
    name: 'command',
    shows: [['<|START_ACTION|>']],
    opens: ['<|START_ACTION|>'],
    body: listBody(COMMAND_KEYS),
    close: '<|END_ACTION|>',
    between: null,
  },
  // c4ai-command-r-plus
  {
    name: 'command-r',
    shows: [["Write \\'Action:\\' followed by a json-formatted list"]],
    opens: ['Action:\n```json', 'Action: ```json'],
    lead: '\n',
    body: listBody(COMMAND_KEYS),
    close: '\n```',
    between: null,
  },
  // Phi-4-mini
  { name: 'phi', shows: [['<|/tool_call|>']], opens: ['<|tool_call|>'], body: listBody(KEYS), close: '<|/tool_call|>', between: null },
  // granite-3.3
  { name: 'granite', shows: [['<|tool_call|>']], opens: ['<|tool_call|>'], body: listBody(KEYS), close: '', between: null },
  // Apertus
  {
    name: 'apertus',
    shows: [['<|tools_prefix|>', '<|tools_suffix|>']],
    opens: ['<|tools_prefix|>'],
    body: listBody({ name: [], args: [], id: [], named: true }),
    close: '<|tools_suffix|>',
    between: null,
    reasoning: { open: '<|inner_prefix|>', close: '<|inner_suffix|>' },
  },
  // Nemotron-Nano-v2
  {
    name: 'nemotron',
    shows: [['<TOOLCALL>', '</TOOLCALL>']],
    opens: ['<TOOLCALL>'],
    body: listBody(KEYS),
    close: '</TOOLCALL>',
    between: null,
  },
  // GigaChat3.1
  { name: 'gigachat-3.1', shows: [['<|function_call|>']], opens: ['<|function_call|>'], body: objectBody(KEYS), close: '', between: null },
  // GigaChat3
  {
    name: 'gigachat',
    shows: [["'role': 'function call'"]],
    opens: ['<|message_sep|>\n\nfunction call<|role_sep|>'],
    lead: '\n',
    body: objectBody(KEYS),
    close: '',
    between: null,
  },
  // Apriel-1.5, Apriel-1.6-Thinker
  {
    name: 'apriel',
    shows: [['<tool_calls>[', '[BEGIN FINAL RESPONSE]']],
    opens: ['<tool_calls>'],
    body: listBody(KEYS),
    close: '</tool_calls>',
    between: null,
    silent: ['[BEGIN FINAL RESPONSE]', '[END FINAL RESPONSE]', '<|end|>'],
    reasoning: { open: 'Here are my reasoning steps:', close: '[BEGIN FINAL RESPONSE]', until: ['<tool_calls>'] },
  },
  // MiniMax-M1
  {
    name: 'minimax-m1',
    shows: [['<tool_calls>', '</tool_calls>']],
    opens: ['<tool_calls>'],
    lead: '\n',
    body: objectBody(KEYS, true),
    close: '\n</tool_calls>',
    between: null,
  },
  // functionary-medium-v3.2
  {
    name: 'functionary-3.2',
    shows: [['>>>all', '>>>${recipient}']],
    opens: ['>>>'],
    body: namedBody({ head: [NAME, text('\n')] }),
    close: '',
    between: '>>>',
    begun: true,
    silent: ['>>>all\n'],
    head: 'all\n',
  },
  // functionary-medium-v3.1
  {
    name: 'functionary',
    shows: [['<function=', '</function>']],
    opens: ['<function='],
    body: namedBody({ head: [NAME, text('>')] }),
    close: '</function>',
    between: '',
  },
  // firefunction-v2
  { name: 'firefunction', shows: [['functools[']], opens: ['functools'], body: listBody(KEYS), close: '', between: null },
  // Hermes-2-Pro, Hermes-3, Qwen2.5, Qwen3, QwQ, Bielik-11B-v3.0, MiMo-VL, Reka-Edge, granite-4.0, granite-4.1
  {
    name: 'hermes',
    shows: [['<tool_call>', '</tool_call>']],
    opens: ['<tool_call>'],
    lead: '\n',
    body: objectBody(KEYS),
    close: '\n</tool_call>',
    between: '\n',
  },
];
