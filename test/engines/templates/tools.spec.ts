import type { CanonicalRequest, Tool } from '@slipway/contracts';
import { beforeAll, describe, expect, it } from 'vitest';
import { ChatTemplate, templateInput } from '@slipway/model-text';
import { type AnswerFormat, answerFormat } from '../../../libs/engine-llama/src/answer-format.js';
import { CallReader } from '../../../libs/engine-llama/src/tool-calls/call-reader.js';
import { bundledTemplates } from './bundled-templates.js';

/** The templates by the family of their calls. */
const FAMILIES: Readonly<Record<string, string>> = {
  'Apertus-8B-Instruct': 'apertus',
  'Apriel-1.6-15b-Thinker-fixed': 'apriel',
  'Bielik-11B-v3.0-Instruct': 'hermes',
  'ByteDance-Seed-OSS': 'seed',
  Cohere2MoE: 'command',
  'CohereForAI-c4ai-command-r-plus-tool_use': 'command-r',
  'CohereForAI-c4ai-command-r7b-12-2024-tool_use': 'command',
  'GLM-4.6': 'glm',
  'GLM-4.7-Flash': 'glm',
  'GigaChat3-10B-A1.8B': 'gigachat',
  'GigaChat3.1-10B-A1.8B': 'gigachat-3.1',
  'Kimi-K2-Instruct': 'kimi-k2',
  'Kimi-K2-Thinking': 'kimi-k2',
  'Kimi-K3': 'kimi-k3',
  'LFM2-8B-A1B': 'lfm',
  'LFM2.5-8B-A1B': 'lfm',
  'LFM2.5-Instruct': 'lfm',
  'MiMo-VL': 'hermes',
  'MiniMax-M1': 'minimax-m1',
  'MiniMax-M2': 'minimax-m2',
  'MiniMax-M3': 'minimax-m3',
  'Mistral-Small-3.2-24B-Instruct-2506': 'mistral-named',
  'NVIDIA-Nemotron-3-Nano-30B-A3B-BF16': 'qwen-xml',
  'NVIDIA-Nemotron-Nano-v2': 'nemotron',
  'NousResearch-Hermes-2-Pro-Llama-3-8B-tool_use': 'hermes',
  'NousResearch-Hermes-3-Llama-3.1-8B-tool_use': 'hermes',
  'Qwen-QwQ-32B': 'hermes',
  'Qwen-Qwen2.5-7B-Instruct': 'hermes',
  'Qwen-Qwen3-0.6B': 'hermes',
  'Qwen3-Coder': 'qwen-xml',
  'Qwen3.5-4B': 'qwen-xml',
  'Reka-Edge': 'hermes',
  'Spark2.5': 'glm',
  'StepFun3.5-Flash': 'qwen-xml',
  'deepseek-ai-DeepSeek-V3.2': 'deepseek-v3.2',
  'deepseek-ai-DeepSeek-V4': 'deepseek-v4',
  'deepseek-ai-DeepSeek-V4-Flash-0731': 'deepseek-v4',
  'fireworks-ai-llama-3-firefunction-v2': 'firefunction',
  'google-gemma-4-31B-it': 'gemma',
  'google-gemma-4-31B-it-interleaved': 'gemma',
  'ibm-granite-granite-3.3-2B-Instruct': 'granite',
  'ibm-granite-granite-4.0': 'hermes',
  'ibm-granite-granite-4.1': 'hermes',
  'inclusionai-ling-3.0-flash': 'glm',
  'meetkai-functionary-medium-v3.1': 'functionary',
  'meetkai-functionary-medium-v3.2': 'functionary-3.2',
  'meta-llama-Llama-3.1-8B-Instruct': 'llama-json',
  'meta-llama-Llama-3.2-3B-Instruct': 'llama-json',
  'meta-llama-Llama-3.3-70B-Instruct': 'llama-json',
  'mistralai-Ministral-3-14B-Reasoning-2512': 'mistral-named',
  'mistralai-Mistral-Nemo-Instruct-2407': 'mistral',
  'moonshotai-Kimi-K2': 'kimi-k2',
  'muse-glimmer': 'muse',
  'openai-gpt-oss-120b': 'harmony',
  'openbmb-MiniCPM5-1B': 'minicpm',
  'poolside-Laguna-S-2.1': 'glm',
  'poolside-Laguna-XS-2.1': 'glm',
  'poolside-Laguna-XS.2': 'glm',
  'tencent-Hy3': 'hunyuan',
  'unsloth-Apriel-1.5': 'apriel',
  'unsloth-mistral-Devstral-Small-2507': 'mistral-named',
  'upstage-Solar-Open-100B': 'solar',
};
/** They print tools, and no calls of earlier turns. */
const PRINT_NO_CALLS: ReadonlySet<string> = new Set(['LFM2-8B-A1B', 'LFM2.5-Instruct', 'ibm-granite-granite-3.3-2B-Instruct']);
/** They refuse calls of earlier turns, as they do in Python: their own code changes a list, which the sandbox forbids. */
const REFUSE_CALLS: ReadonlySet<string> = new Set(['Kimi-K2-Instruct', 'Kimi-K2-Thinking']);

const TOOLS: readonly Tool[] = [
  {
    name: 'get_weather',
    description: 'Tells the weather.',
    parameters: {
      type: 'object',
      properties: {
        city: { type: 'string', description: 'City' },
        days: { type: 'integer', description: 'Days' },
        tags: { type: 'array', items: { type: 'string' }, description: 'Tags' },
      },
      required: ['city'],
    },
  },
];
const ARGS = { city: 'Rome "é" <b>\nx', days: 3, tags: ['a', 'b c'] };
const text = (value: string) => [{ type: 'text' as const, text: value }];
const MESSAGES: CanonicalRequest['messages'] = [
  { role: 'user', content: text('Weather, please?') },
  { role: 'assistant', content: [], tool_calls: [{ id: 'call00001', name: 'get_weather', arguments: JSON.stringify(ARGS) }] },
  { role: 'tool', content: text('Sunny'), tool_call_id: 'call00001', name: 'get_weather' },
];

/** The calls that a family finds in an answer. */
function callsIn({ family }: AnswerFormat, answer: string): { name: string; args: unknown }[] {
  const found: { name: string; args: string }[] = [];
  const sink = {
    text: () => undefined,
    begin: (name: string) => void found.push({ name, args: '' }),
    args: (piece: string) => void (found.at(-1)!.args += piece),
    close: () => undefined,
    broken: () => expect.fail('The list of calls is broken.'),
  };
  const reader = new CallReader(family!, sink, TOOLS);
  reader.push(answer);
  reader.end();
  return found.map(({ name, args }) => ({ name, args: JSON.parse(args) as unknown }));
}

describe('a chat template that llama.cpp ships', () => {
  let templates: ReadonlyMap<string, string>;
  beforeAll(() => {
    templates = bundledTemplates();
  });
  const read = (name: string): ChatTemplate => ChatTemplate.parse(templates.get(name) ?? '', { bos: '<s>', eos: '</s>' });

  it('has a known family wherever it prints tools', () => {
    const found = [...templates.keys()].map((name) => [name, answerFormat(read(name)).family?.name] as const);
    expect(Object.fromEntries(found.filter(([, family]) => family !== undefined))).toEqual(FAMILIES);
  });

  it.each(Object.keys(FAMILIES))('%s writes calls as they are read', (name) => {
    const template = read(name);
    const format = answerFormat(template);
    const render = (): string =>
      template.render(templateInput({ messages: MESSAGES, tools: [...TOOLS], sampling: {}, stop: [] }, format.facts));
    if (REFUSE_CALLS.has(name)) return expect(render).toThrow(/refuses these messages/);
    const rendered = render();
    const turn = rendered.slice(rendered.indexOf('Weather, please?') + 'Weather, please?'.length, rendered.lastIndexOf('Sunny'));
    // Without a mark only the beginning of an answer is a call.
    const answer = format.family?.name === 'llama-json' ? turn.slice(turn.indexOf('{"name"')) : turn;
    expect(callsIn(format, answer)).toEqual(PRINT_NO_CALLS.has(name) ? [] : [{ name: 'get_weather', args: ARGS }]);
  });
});
