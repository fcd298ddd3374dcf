import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chatContract } from './chat-contract.js';
import { Door } from './door.js';
import { describePages } from './pages-cases.js';
import { rawRequest } from './raw-client.js';

const PAGE = 'https://app.example';

describePages(chatContract);

describe('every origin', () => {
  let door: Door;

  beforeAll(async () => {
    door = await Door.open({ contract: chatContract, environment: { CORS_ORIGINS: '*' } });
  });
  afterAll(() => door?.end());

  it('may call with the headers of both official clients', async () => {
    const sent = new Set<string>();
    const spy = (async (input: string | URL | Request, init?: RequestInit) => {
      const request = new Request(input, init);
      for (const name of request.headers.keys()) sent.add(name);
      return fetch(request, { headers: { ...Object.fromEntries(request.headers), origin: PAGE } });
    }) as typeof fetch;
    const base = `http://127.0.0.1:${door.gateway.port}/acme/demo-7b`;
    const openai = new OpenAI({ baseURL: `${base}/v1`, apiKey: door.key, maxRetries: 0, fetch: spy });
    const anthropic = new Anthropic({ baseURL: base, apiKey: door.key, maxRetries: 0, fetch: spy, dangerouslyAllowBrowser: true });
    const messages = [{ role: 'user' as const, content: 'Hello' }];
    await openai.chat.completions.create({ model: 'demo-7b', messages });
    await anthropic.messages.create({ model: 'demo-7b', max_tokens: 10, messages });
    const names = [...sent].sort().join(',');
    expect(names).toContain('x-stainless-');
    const asked = [`Origin: ${PAGE}`, 'Access-Control-Request-Method: POST', `Access-Control-Request-Headers: ${names}`];
    const { answers } = await door.converse(rawRequest(door.path(), asked, '', 'OPTIONS'));
    expect(answers[0]!.headers.get('access-control-allow-origin')).toBe('*');
    expect(answers[0]!.headers.get('access-control-allow-headers')?.split(', ')).toEqual(names.split(','));
  });
});
