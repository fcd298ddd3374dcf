import { describe, expect, it } from 'vitest';
import { NO_ANSWER, type Past } from './conversation.js';
import { figuresOf, formatMs } from './figures.js';
import { readSettings } from './read-settings.js';
import { requestBody } from './request-body.js';
import { FIRST_SETTINGS, hindranceOf, lockOf, type Settings, type Wishes } from './settings.js';

const all = (): boolean => true;
const read = (settings: Partial<Settings>, can: (parameter: string) => boolean = all): ReturnType<typeof readSettings> =>
  readSettings({ ...FIRST_SETTINGS, ...settings }, can);
const SCHEMA = { type: 'object', properties: { city: { type: 'string' } } };

describe('settings', () => {
  it('that were not changed ask for nothing', () => {
    expect(read({})).toEqual({ wishes: {}, faults: {} });
  });

  it('are read as numbers, lines and JSON', () => {
    const { wishes, faults } = read({
      system: 'Be brief.',
      temperature: 0.5,
      topP: 1,
      maxTokens: 64,
      seed: 0,
      stop: 'END\n\n###',
      form: 'json_schema',
      schema: JSON.stringify(SCHEMA),
      tools: JSON.stringify([
        { type: 'function', function: { name: 'a', parameters: SCHEMA } },
        { name: 'b', input_schema: SCHEMA },
        { name: 'c' },
      ]),
      toolChoice: 'required',
      reasoning: 'low',
    });
    expect(faults).toEqual({});
    expect(wishes).toMatchObject({ temperature: 0.5, topP: 1, maxTokens: 64, seed: 0, stop: ['END', '###'], form: { schema: SCHEMA } });
    expect(wishes.tools?.map(({ name }) => name)).toEqual(['a', 'b', 'c']);
    expect([wishes.toolChoice, wishes.reasoning]).toEqual(['required', 'low']);
  });

  it.each<[keyof Settings, Partial<Settings>]>([
    ['temperature', { temperature: 3 }],
    ['temperature', { temperature: Number.NaN }],
    ['topP', { topP: -0.1 }],
    ['maxTokens', { maxTokens: 1.5 }],
    ['maxTokens', { maxTokens: 0 }],
    ['seed', { seed: 2 ** 60 }],
    ['stop', { stop: 'a\nb\nc\nd\ne' }],
    ['schema', { form: 'json_schema', schema: '{' }],
    ['schema', { form: 'json_schema', schema: '[]' }],
    ['tools', { tools: '[{"description":"x"}]' }],
    ['tools', { tools: 'x' }],
  ])('that are wrong are named: %s', (field, settings) => {
    expect(Object.keys(read(settings).faults)).toEqual([field]);
  });

  it('that a deployment cannot keep are neither asked for nor checked', () => {
    const wrong = { seed: -1, form: 'json_schema', schema: '{', tools: '{', reasoning: 'high' } as const;
    expect(read(wrong, () => false)).toEqual({ wishes: {}, faults: {} });
  });

  it('say why they cannot be set', () => {
    expect(hindranceOf('seed', 'chat', [['seed']])).toBeNull();
    expect(hindranceOf('seed', 'messages', [['seed']])).toMatch(/Messages contract/);
    expect(hindranceOf('stop', 'responses', [['seed']])).toMatch(/Responses contract/);
    expect(hindranceOf('stop', 'chat', [[]])).toBeNull();
    expect(hindranceOf('json_object', 'responses', [['json_object']])).toBeNull();
    expect(hindranceOf('tools', 'chat', [['seed']])).toBe('Not supported by this deployment.');
    expect(hindranceOf('tools', 'chat', [['tools'], []])).toBe('Not supported by both deployments.');
  });
});

const wishes: Wishes = {
  system: 'Be brief.',
  temperature: 0.5,
  maxTokens: 64,
  stop: ['END'],
  seed: 1,
  form: { schema: SCHEMA },
  tools: [{ name: 'a', description: 'A.', parameters: SCHEMA }],
  toolChoice: 'required',
  reasoning: 'low',
};
const call = { id: 'c1', name: 'a', args: '{"city":"Paris"}' };
const past: readonly Past[] = [
  { question: { text: 'Hi', results: [] }, answer: { ...NO_ANSWER, text: 'Let me look.', calls: [call], isWhole: true } },
];
const ask = { model: 'deployment-3', wishes, past, question: { text: 'And?', results: [{ id: 'c1', text: 'Sunny' }] } };

describe('the playground', () => {
  it('is locked with a reason for deployments of embeddings', () => {
    expect(lockOf([['seed'], []])).toBeNull();
    expect(lockOf([['embed']])).toMatch(/^This deployment makes embeddings/);
    expect(lockOf([['seed'], ['embed']])).toMatch(/^One of these deployments makes embeddings/);
  });
});

describe('a request', () => {
  it('of the chat contract holds the conversation and the settings', () => {
    expect(requestBody('chat', ask)).toEqual({
      model: 'deployment-3',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hi' },
        {
          role: 'assistant',
          content: 'Let me look.',
          tool_calls: [{ id: 'c1', type: 'function', function: { name: 'a', arguments: '{"city":"Paris"}' } }],
        },
        { role: 'tool', tool_call_id: 'c1', content: 'Sunny' },
        { role: 'user', content: 'And?' },
      ],
      stream: true,
      stream_options: { include_usage: true },
      temperature: 0.5,
      max_tokens: 64,
      seed: 1,
      stop: ['END'],
      response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: SCHEMA, strict: true } },
      tools: [{ type: 'function', function: { name: 'a', description: 'A.', parameters: SCHEMA } }],
      tool_choice: 'required',
      reasoning_effort: 'low',
    });
  });

  it('of the messages contract holds the same in its form', () => {
    expect(requestBody('messages', ask)).toEqual({
      model: 'deployment-3',
      max_tokens: 64,
      system: 'Be brief.',
      messages: [
        { role: 'user', content: 'Hi' },
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'Let me look.' },
            { type: 'tool_use', id: 'c1', name: 'a', input: { city: 'Paris' } },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'c1', content: 'Sunny' },
            { type: 'text', text: 'And?' },
          ],
        },
      ],
      stream: true,
      temperature: 0.5,
      stop_sequences: ['END'],
      tools: [{ name: 'a', description: 'A.', input_schema: SCHEMA }],
      tool_choice: { type: 'any' },
      thinking: { type: 'adaptive' },
      output_config: { format: { type: 'json_schema', schema: SCHEMA }, effort: 'low' },
    });
  });

  it('of the responses contract holds the same in its form', () => {
    expect(requestBody('responses', ask)).toEqual({
      model: 'deployment-3',
      instructions: 'Be brief.',
      input: [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: 'Let me look.' },
        { type: 'function_call', call_id: 'c1', name: 'a', arguments: '{"city":"Paris"}' },
        { type: 'function_call_output', call_id: 'c1', output: 'Sunny' },
        { role: 'user', content: 'And?' },
      ],
      stream: true,
      store: false,
      temperature: 0.5,
      max_output_tokens: 64,
      text: { format: { type: 'json_schema', name: 'answer', schema: SCHEMA, strict: true } },
      tools: [{ type: 'function', name: 'a', description: 'A.', parameters: SCHEMA, strict: false }],
      tool_choice: 'required',
      reasoning: { effort: 'low' },
    });
  });

  it('without settings asks for nothing but an answer', () => {
    const bare = { model: 'deployment-3', wishes: {}, past: [], question: { text: 'Hi', results: [] } };
    const messages = [{ role: 'user', content: 'Hi' }];
    expect(requestBody('chat', bare)).toEqual({ model: 'deployment-3', messages, stream: true, stream_options: { include_usage: true } });
    expect(requestBody('messages', bare)).toEqual({ model: 'deployment-3', messages, max_tokens: 1_024, stream: true });
  });

  it('without reasoning says so in every contract', () => {
    const off = { ...ask, wishes: { reasoning: 'off' } as const };
    expect(requestBody('chat', off)).toMatchObject({ reasoning_effort: 'none' });
    expect(requestBody('responses', off)).toMatchObject({ reasoning: { effort: 'none' } });
    expect(requestBody('messages', off)).toMatchObject({ thinking: { type: 'disabled' } });
  });
});

describe('the figures of an answer', () => {
  const times = { sent: 1_000, first: 1_250, last: 3_250 };

  it('are the time to the first token, and the tokens after it by the time since', () => {
    const answer = { usage: { prompt: 3, cached: null, completion: 41 }, pieces: 30, isWhole: true, calls: [] };
    expect(figuresOf(times, answer)).toEqual({ ttftMs: 250, tokensPerS: 20, isEstimate: false });
  });

  it('are estimated by the pieces until the model has counted', () => {
    expect(figuresOf(times, { usage: null, pieces: 21, isWhole: false, calls: [] })).toEqual({
      ttftMs: 250,
      tokensPerS: 10,
      isEstimate: true,
    });
  });

  it('are none where nothing or one token came', () => {
    expect(figuresOf({ sent: 1, first: null, last: null }, NO_ANSWER)).toMatchObject({ ttftMs: null, tokensPerS: null });
    expect(figuresOf({ sent: 1, first: 5, last: 5 }, { usage: null, pieces: 1, isWhole: false, calls: [] })).toMatchObject({
      tokensPerS: null,
    });
  });

  it('say no pace of calls, which come when they are whole', () => {
    const answer = { usage: { prompt: 3, cached: null, completion: 41 }, pieces: 3, isWhole: true, calls: [call] };
    expect(figuresOf(times, answer)).toMatchObject({ ttftMs: 250, tokensPerS: null });
  });

  it('are written in the unit that fits', () => {
    expect([formatMs(87.4), formatMs(1_234)]).toEqual(['87 ms', '1.23 s']);
  });
});
