import { readFileSync } from 'node:fs';
import { connectNats, createLogger, type NatsConnection, RpcClient } from '@slipway/platform';
import { type RunningService, startService } from '@slipway/platform/service';
import { TestNatsServer } from '@slipway/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CountWords, wordsService } from './service-template/words-service.js';

const ENV = 'template';
const PAGE = new URL('../../docs/new-service.md', import.meta.url);
const TEMPLATE = new URL('service-template/words-service.ts', import.meta.url);

describe('the service of docs/new-service.md', () => {
  let server: TestNatsServer;
  let nats: NatsConnection;
  let client: RpcClient;
  let words: RunningService;

  beforeAll(async () => {
    server = await TestNatsServer.start();
    words = await startService(wordsService, { SLIPWAY_ENV: ENV, NATS_URL: server.url, WORDS_MAX: '3' });
    nats = await connectNats({ url: server.url, role: 'ops', name: 'test', log: createLogger('test', 'silent') });
    client = new RpcClient(nats, ENV);
  });
  afterAll(async () => {
    await words?.stop();
    await nats?.close();
    await server?.end();
  });

  const ops = (path: string): Promise<Response> => fetch(`http://127.0.0.1:${words.opsPort}${path}`);

  it('is the code on the page', () => {
    const [, shown] = /```ts\n(.*?)```/s.exec(readFileSync(PAGE, 'utf8')) ?? [];
    expect(shown).toBe(readFileSync(TEMPLATE, 'utf8'));
  });

  it('answers its RPC', async () => {
    expect(await client.call(CountWords, { text: ' one  two ' })).toEqual({ words: 2 });
  });

  it('uses its own errors and settings', async () => {
    await expect(client.call(CountWords, { text: 'a b c d' })).rejects.toMatchObject({ code: 'request_too_large', param: 'text' });
    await expect(client.call(CountWords, { text: 4 as unknown as string })).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('is observable on its ops port', async () => {
    expect(await Promise.all(['/livez', '/readyz'].map(async (path) => (await ops(path)).status))).toEqual([200, 200]);
    expect(await (await ops('/metrics')).text()).toMatch(/^process_cpu_seconds_total\{service="words-service"\}/m);
  });

  it('leaves nothing open when it stops', async () => {
    await words.stop();
    await expect(client.call(CountWords, { text: '' })).rejects.toMatchObject({ reason: 'absent' });
    await expect(ops('/livez')).rejects.toThrow('fetch failed');
  });
});
