import { maybe, NAME, text } from './call-steps.js';
import type { FamilyRow } from './family-engine.js';
import { markedDictBody, pythonBody } from './literal-body.js';
import { nestedTags } from './nested-tags.js';
import { taggedBody } from './tagged-body.js';

const PLAIN_KEY = /[^"\n]/;

/** `<invoke name="f"><parameter name="k">v</parameter></invoke>`, with a prefix before each tag's name. */
const invoked = (prefix: string, attributes = '', types?: Readonly<Record<string, string>>) =>
  taggedBody({
    head: [NAME, text('">')],
    open: `<${prefix}parameter name="`,
    key: PLAIN_KEY,
    after: `"${attributes}>`,
    ...(types && { types }),
    close: `</${prefix}parameter>`,
    end: `</${prefix}invoke>`,
    gap: '\n',
  });

/** Keys and values in separate tags after the name. */
const paired = (suffix: string, end: string, mark: string) =>
  taggedBody({
    head: mark === '' ? [NAME] : [NAME, maybe(mark)],
    open: `<arg_key${suffix}>`,
    key: /[^<\n]/,
    after: `</arg_key${suffix}>\n<arg_value${suffix}>`,
    close: `</arg_value${suffix}>`,
    end,
    gap: '\n',
    padded: 'read',
  });

const functionTags = (padded: boolean) =>
  taggedBody({
    head: [NAME, text('>')],
    open: '<parameter=',
    key: /[^>\n]/,
    after: '>',
    close: '</parameter>',
    end: '</function>',
    gap: '\n',
    padded: padded ? 'both' : 'read',
  });

const dsml = (name: string, block: string, shows: readonly string[]): FamilyRow => ({
  name,
  shows: [shows],
  section: { open: `<｜DSML｜${block}>`, close: `</｜DSML｜${block}>`, lead: '\n', tail: '\n' },
  opens: ['<｜DSML｜invoke name="'],
  body: invoked('｜DSML｜', ' string="{type}"', { text: 'true', other: 'false' }),
  close: '',
  between: '\n',
  tokens: ['｜DSML｜'],
  reasoning: { open: '<think>', close: '</think>', until: [`<｜DSML｜${block}>`] },
});

/** The families that write arguments one by one. The comments name the models, by their templates in llama.cpp. */
export const TAGGED_FAMILIES: readonly FamilyRow[] = [
  // muse-glimmer
  {
    name: 'muse',
    shows: [['<atem:invoke', 'to=self']],
    section: { open: '<atem:function_calls>', close: '</atem:function_calls>', lead: '\n', tail: '\n', each: true },
    opens: ['<atem:invoke name="'],
    body: invoked('atem:'),
    close: '',
    between: '<|eom|><|start|>assistant',
    before: ' to={name}<|message|>',
    silent: ['<|start|>assistant', '<|eom|>', '<|eot|>'],
    silentHead: [' to=', '<|message|>'],
    head: ' to=user<|message|>',
    reasoning: { open: ' to=self<|message|>', close: '<|eom|>', again: true },
  },
  // Kimi-K3
  {
    name: 'kimi-k3',
    shows: [['<|open|>', '<|sep|>', 'argument']],
    section: { open: '<|open|>tools<|sep|>', close: '<|close|>tools<|sep|>' },
    opens: ['<|open|>call tool="'],
    body: taggedBody({
      head: [NAME, { is: 'until', text: '<|sep|>', gbnf: '"\\" index=\\"" [1-9] [0-9]? "\\"<|sep|>"' }],
      open: '<|open|>argument key="',
      key: PLAIN_KEY,
      after: '" type="{type}"<|sep|>',
      types: { text: 'string', integer: 'number', number: 'number', boolean: 'boolean', array: 'array', object: 'object', null: 'null' },
      close: '<|close|>argument<|sep|>',
      end: '<|close|>call<|sep|>',
      gap: '',
    }),
    close: '',
    between: '',
    silent: ['<|open|>response<|sep|>', '<|close|>response<|sep|>', '<|close|>message<|sep|>', '<|close|>think<|sep|>', '<|end_of_msg|>'],
    head: '<|open|>response<|sep|>',
    reasoning: {
      open: '<|open|>think<|sep|>',
      close: '<|close|>think<|sep|>',
      until: ['<|open|>response<|sep|>', '<|open|>tools<|sep|>'],
    },
  },
  // gemma-4
  {
    name: 'gemma',
    shows: [['<|tool_call>call:']],
    opens: ['<|tool_call>call:'],
    body: markedDictBody('<|"|>'),
    close: '<tool_call|>',
    between: '',
    silent: ['<|channel>', '<channel|>', '<|turn>model\n'],
    reasoning: { open: '<|channel>thought', close: '<channel|>', again: true },
  },
  // MiniMax-M3
  {
    name: 'minimax-m3',
    shows: [[']<]minimax[>[']],
    section: { open: ']<]minimax[>[<tool_call>', close: ']<]minimax[>[</tool_call>', lead: '\n', tail: '\n' },
    opens: [']<]minimax[>[<invoke name="'],
    body: taggedBody({
      head: [NAME, text('">')],
      open: ']<]minimax[>[<',
      key: /[^>\n]/,
      after: '>',
      close: ']<]minimax[>[</{key}>',
      end: ']<]minimax[>[</invoke>',
      gap: '',
      nested: nestedTags(']<]minimax[>['),
    }),
    close: '',
    between: '\n',
    silent: ['</mm:think>'],
    reasoning: { open: '<mm:think>', close: '</mm:think>' },
    tokens: [']<]minimax[>['],
  },
  // MiniMax-M2
  {
    name: 'minimax-m2',
    shows: [['<minimax:tool_call>']],
    section: { open: '<minimax:tool_call>', close: '</minimax:tool_call>', lead: '\n', tail: '\n' },
    opens: ['<invoke name="'],
    body: invoked(''),
    close: '',
    between: '\n',
  },
  // DeepSeek-V3.2
  dsml('deepseek-v3.2', 'function_calls', ['｜DSML｜', 'function_calls']),
  // DeepSeek-V4, DeepSeek-V4-Flash
  dsml('deepseek-v4', 'tool_calls', ['｜DSML｜']),
  // tencent-Hy3
  {
    name: 'hunyuan',
    shows: [['tool_sep{}', ':opensource']],
    section: { open: '<tool_calls:opensource>', close: '</tool_calls:opensource>', lead: '\n', tail: '\n' },
    opens: ['<tool_call:opensource>'],
    body: paired(':opensource', '</tool_call:opensource>', '<tool_sep:opensource>'),
    close: '',
    between: '\n',
    reasoning: { open: '<think:opensource>', close: '</think:opensource>' },
  },
  // MiniCPM5
  {
    name: 'minicpm',
    shows: [['<function name="', '<param name="']],
    opens: ['<function name="'],
    body: taggedBody({
      head: [NAME, text('">')],
      open: '<param name="',
      key: PLAIN_KEY,
      after: '">',
      close: '</param>',
      end: '</function>',
      gap: '',
      verbatim: ['<![CDATA[', ']]>'],
    }),
    close: '',
    between: '\n',
  },
  // ByteDance-Seed-OSS
  {
    name: 'seed',
    shows: [['<seed:tool_call>']],
    section: { open: '<seed:tool_call>', close: '</seed:tool_call>', lead: '\n', tail: '\n', each: true },
    opens: ['<function='],
    body: functionTags(false),
    close: '',
    between: '\n',
    reasoning: { open: '<seed:think>', close: '</seed:think>' },
  },
  // Qwen3-Coder, Qwen3.5, Nemotron-3-Nano, StepFun3.5-Flash
  {
    name: 'qwen-xml',
    shows: [['<function=', '<parameter=']],
    section: { open: '<tool_call>', close: '</tool_call>', lead: '\n', tail: '\n', each: true },
    opens: ['<function='],
    body: functionTags(true),
    close: '',
    between: '\n',
  },
  // GLM-4.6, GLM-4.7-Flash, ling-3.0-flash, Laguna-S-2.1, Laguna-XS-2.1, Laguna-XS.2, Spark2.5
  {
    name: 'glm',
    shows: [['<arg_key>', '<arg_value>']],
    opens: ['<tool_call>'],
    body: paired('', '</tool_call>', ''),
    close: '',
    between: '\n',
  },
  // LFM2, LFM2.5-Instruct, LFM2.5
  {
    name: 'lfm',
    shows: [['<|tool_call_start|>'], ['<|tool_list_start|>'], ['List of tools: [', '<|im_start|>']],
    opens: ['<|tool_call_start|>'],
    body: pythonBody(),
    close: '<|tool_call_end|>',
    between: null,
  },
];
