import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { APPS, everySetting, ORIGIN, settingsOf } from './every-setting.js';
import { type Stack, startStack } from './stack.js';
import { streamedAnswer } from './streamed-answer.js';

const run = promisify(execFile);
const messages = [{ role: 'user' as const, content: 'Who are you?' }];

describe('a fresh Slipway with two gateways', () => {
  let stack: Stack;
  let key: string;

  beforeAll(async () => {
    stack = await startStack(['--gateways', '2'], everySetting);
    key = stack.key ?? '';
  });
  afterAll(() => stack?.stop());

  const clients = (path: string): OpenAI[] =>
    stack.gateways.map((gateway) => new OpenAI({ baseURL: `${gateway}/${path}/v1`, apiKey: key, maxRetries: 0 }));

  it('lists every process that it started', () => {
    const names = stack.processes.map(({ name }) => name);
    for (const name of ['postgres', 'nats-server', 'control-plane', 'worker-1', 'gateway-1', 'gateway-2']) {
      expect(names).toContain(name);
    }
  });

  it('answers the official SDK at both gateways', async () => {
    for (const path of [stack.deployment, stack.alias]) {
      const model = path.split('/').at(-1) ?? '';
      for (const client of clients(path)) {
        const whole = await client.chat.completions.create({ model, messages, temperature: 0 });
        expect(whole.choices[0]?.message.content).toMatch(/demo model/);
        expect(whole.choices[0]?.finish_reason).toBe('stop');
        expect(whole.model).toBe(stack.deployment);
        const streamed = await streamedAnswer(client, model, messages);
        expect(streamed.text).toBe(whole.choices[0]?.message.content);
        expect(streamed.finish).toBe('stop');
        expect(streamed.usage?.completion_tokens).toBe(whole.usage?.completion_tokens);
        expect(streamed.usage?.prompt_tokens).toBe(whole.usage?.prompt_tokens);
      }
    }
  });

  it('answers and calls tools by the responses contract', async () => {
    const [client] = clients(stack.alias);
    if (!client) throw new Error('no gateway');
    const asked = { model: 'demo', input: 'Who are you?', temperature: 0, store: false };
    expect((await client.responses.create(asked)).output_text).toMatch(/demo model/);
    const weather = { type: 'function' as const, name: 'get_weather', strict: null };
    const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
    const tools = [{ type: 'namespace' as const, name: 'sky', description: 'Of the sky.', tools: [{ ...weather, parameters }] }];
    const input = 'What is the weather in Paris?';
    const forced = { ...asked, input, tools, tool_choice: 'required' as const };
    const called = await client.responses.stream(forced).finalResponse();
    expect(called.output).toMatchObject([{ type: 'function_call', name: 'get_weather', namespace: 'sky', status: 'completed' }]);
    const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'], additionalProperties: false };
    const text = { format: { type: 'json_schema' as const, name: 'place', schema, strict: true } };
    const formed = await client.responses.create({ ...asked, text, max_output_tokens: 200 });
    expect(Object.keys(JSON.parse(formed.output_text) as object)).toEqual(['city']);
  });

  it('answers curl with X-API-Key', async () => {
    const body = JSON.stringify({ model: 'demo', messages, stream: true, temperature: 0 });
    const url = `${stack.gateways[0]}/${stack.alias}/v1/chat/completions`;
    const { stdout } = await run('curl', ['-sN', url, '-H', `X-API-Key: ${key}`, '-H', 'content-type: application/json', '-d', body]);
    const lines = stdout.trim().split('\n\n');
    expect(lines.at(-1)).toBe('data: [DONE]');
    expect(lines.length).toBeGreaterThan(4);
  });

  it('refuses an unknown key with the SDK’s exception', async () => {
    const stranger = new OpenAI({ baseURL: `${stack.gateways[0]}/${stack.alias}/v1`, apiKey: 'svc_dep_unknown', maxRetries: 0 });
    await expect(stranger.chat.completions.create({ model: 'demo', messages })).rejects.toBeInstanceOf(OpenAI.AuthenticationError);
  });

  it('reports cached tokens on a second turn', async () => {
    const [client] = clients(stack.alias);
    if (!client) throw new Error('no gateway');
    const first = await client.chat.completions.create({ model: 'demo', messages, temperature: 0 });
    const answer = first.choices[0]?.message.content ?? '';
    const second = await client.chat.completions.create({
      model: 'demo',
      messages: [...messages, { role: 'assistant', content: answer }, { role: 'user', content: 'How do I authenticate?' }],
      temperature: 0,
    });
    expect(second.usage?.prompt_tokens_details?.cached_tokens).toBeGreaterThan(0);
  });

  it('keeps many concurrent conversations apart', async () => {
    const both = clients(stack.alias);
    const questions = [
      'Who are you?',
      'What is the capital of France?',
      'Count to five.',
      'What is the opposite of hot?',
      'Repeat: green stone',
    ];
    const ask = async (question: string, nth: number): Promise<string> => {
      const reply = await both[nth % both.length]?.chat.completions.create({
        model: 'demo',
        temperature: 0,
        messages: [{ role: 'user', content: question }],
      });
      return reply?.choices[0]?.message.content ?? '';
    };
    const alone: string[] = [];
    for (const question of questions) alone.push(await ask(question, 0));
    expect(new Set(alone).size).toBe(questions.length);
    const together = await Promise.all(Array.from({ length: 30 }, (_, i) => ask(questions[i % questions.length] ?? '', i)));
    expect(together).toEqual(together.map((_, i) => alone[i % questions.length]));
  });

  it.each(APPS)('gives every setting by %s to %s', async (name, app) => {
    const { read, missing } = await settingsOf(stack.processes, name, app);
    expect(read).toContain('LOG_LEVEL');
    expect(missing).toEqual([]);
  });

  it('takes CORS_ORIGINS to the inference API', async () => {
    const headers = { origin: ORIGIN, 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' };
    const answer = await fetch(`${stack.gateways[0]}/${stack.deployment}/v1/chat/completions`, { method: 'OPTIONS', headers });
    expect(answer.headers.get('access-control-allow-origin')).toBe(ORIGIN);
  });
});
