import type { DeploymentFacts } from '@slipway/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { GatewayRig, type RunningGateway, until } from './gateway-rig.js';
import { RawClient, rawRequest } from './raw-client.js';
import { answerInWords, answerSlowly, type ScriptedRunner } from './scripted-runner.js';

describe('a gateway that shuts down', () => {
  let rig: GatewayRig;
  let gw: RunningGateway;
  let runner: ScriptedRunner;
  let deployment: DeploymentFacts;
  let key: string;

  beforeAll(async () => {
    rig = await GatewayRig.start();
    const account = rig.account();
    key = rig.key(account.id).value;
    deployment = rig.deployment(account.id);
    runner = await rig.runner({ dep: deployment.id });
  });
  afterAll(() => rig?.end());
  beforeEach(async () => {
    runner.script = answerInWords;
    gw = await rig.gateway({ config: { SHUTDOWN_GRACE_MS: '400' } });
    await rig.whenAnswering(gw, deployment, key);
  });

  const path = () => `/deployment-${deployment.id}/v1/chat/completions`;
  const headers = () => [`X-API-Key: ${key}`, 'Content-Type: application/json'];
  const request = (stream: boolean): string =>
    rawRequest(
      path(),
      headers(),
      JSON.stringify({ model: `deployment-${deployment.id}`, messages: [{ role: 'user', content: 'word' }], stream }),
    );
  const begin = async (stream = true): Promise<RawClient> => (await RawClient.open(gw.gateway.port)).send(request(stream));

  it('lets running streams finish and closes their connections', async () => {
    runner.script = answerSlowly(100, 10);
    const streams = await Promise.all([begin(), begin(), begin(false)]);
    await Promise.all(streams.slice(0, 2).map((stream) => stream.untilReceived('t3 ')));
    await gw.stop(20_000);
    for (const stream of streams.slice(0, 2)) expect(await stream.untilClosed()).toMatch(/t99 [^]*\[DONE\]\n\n\r\n0\r\n\r\n$/);
    expect(await streams[2].untilClosed()).toMatch(/^HTTP\/1.1 200 [^]*t99 /);
  });

  it('reports on /readyz first, serves on, then refuses', async () => {
    runner.script = answerSlowly(200, 10);
    const idle = await RawClient.open(gw.gateway.port);
    const running = await begin();
    await running.untilReceived('t1 ');
    const stopped = gw.stop(20_000);
    await until('it is not ready', async () => (await fetch(`${gw.url}/readyz`)).status === 503);
    runner.script = answerInWords;
    expect(await (await begin(false)).untilClosed()).toMatch(/^HTTP\/1.1 200 [^]*connection: close/i);
    await until('it refuses', async () => (await (await begin(false)).untilClosed()).startsWith('HTTP/1.1 503 '));
    const refused = await (await begin(false)).untilClosed();
    expect(refused).toMatch(/retry-after: 1[^]*connection: close[^]*"server_shutting_down"/i);
    expect(await running.untilClosed(10_000)).toMatch(/t199 [^]*\[DONE\]/);
    await stopped;
    await idle.untilClosed();
  });

  it('ends running requests at its deadline with an error', async () => {
    runner.script = answerSlowly(100_000, 10);
    const streams = await Promise.all([begin(), begin()]);
    await Promise.all(streams.map((stream) => stream.untilReceived('t3 ')));
    const before = runner.cancelled;
    await gw.stop(1_500);
    for (const stream of streams) {
      const answer = await stream.untilClosed();
      expect(answer).toMatch(/data: \{"error":\{[^\n]*"server_shutting_down"\}\}\n\n\r\n$/);
      expect(answer).not.toMatch(/DONE|finish_reason":"/);
    }
    await until('the worker hears of it', () => runner.cancelled === before + 2);
  });

  it('answers a request whose body is incomplete', async () => {
    const [head = '', body = ''] = request(false).split('\r\n\r\n');
    const client = (await RawClient.open(gw.gateway.port)).send(`${head}\r\nExpect: 100-continue\r\n\r\n`);
    await client.untilReceived('100 Continue');
    const stopped = gw.stop(20_000);
    await until('it refuses', async () => (await (await begin(false)).untilClosed()).startsWith('HTTP/1.1 503 '));
    client.send(body);
    expect(await client.untilClosed(10_000)).toMatch(/HTTP\/1\.1 200 [^]*connection: close[^]*"finish_reason":"stop"/i);
    await stopped;
  });

  it('fails incomplete and waiting requests at its deadline', async () => {
    runner.script = answerSlowly(100_000, 10);
    const held = await Promise.all(Array.from({ length: 8 }, () => begin()));
    await Promise.all(held.map((stream) => stream.untilReceived('t1 ')));
    const waiting = await begin(false);
    const [head = ''] = request(false).split('\r\n\r\n');
    const uploading = (await RawClient.open(gw.gateway.port)).send(`${head}\r\nExpect: 100-continue\r\n\r\n`);
    await uploading.untilReceived('100 Continue');
    await gw.stop(1_500);
    for (const client of [waiting, uploading]) {
      expect(await client.untilClosed()).toMatch(/HTTP\/1\.1 503 [^]*connection: close[^]*"server_shutting_down"/i);
    }
    for (const stream of held) expect(await stream.untilClosed()).toMatch(/"server_shutting_down"\}\}\n\n\r\n$/);
  });

  it('closes listeners of names with several addresses', async () => {
    const named = await rig.gateway({ config: { HOST: 'localhost' } });
    const [four, six] = await Promise.all(['127.0.0.1', '::1'].map((host) => RawClient.open(named.gateway.port, host).catch(() => null)));
    expect(four ?? six).not.toBeNull();
    await named.stop(60_000);
    await four?.untilClosed();
    await six?.untilClosed();
  });

  it('without work ends at once', async () => {
    const idle = await RawClient.open(gw.gateway.port);
    await gw.stop(60_000);
    await idle.untilClosed();
    await expect(fetch(`${gw.url}/livez`)).rejects.toThrow('fetch failed');
  });
});
