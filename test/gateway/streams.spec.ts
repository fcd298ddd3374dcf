import type { DeploymentFacts } from '@slipway/contracts';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { GatewayRig, type RunningGateway, until } from './gateway-rig.js';
import { RawClient, rawRequest } from './raw-client.js';
import { answerInWords, answerSlowly, pause, ScriptedRunner, staySilent, usageOf, wordsOf } from './scripted-runner.js';

const TIMES = { commitStreamMs: 300, keepAliveMs: 300, commitDocumentMs: 300, stalledMs: 2_000, engineSilenceMs: 1_500 };

/** The whole body, and calls back once it begins as awaited. */
async function readAll({ body }: Response, begin: RegExp, begun: () => void): Promise<string> {
  let [text, isBegun] = ['', false];
  for await (const part of body!.pipeThrough(new TextDecoderStream())) {
    text += part;
    const wasBegun = isBegun;
    isBegun = begin.test(text);
    if (isBegun && !wasBegun) begun();
  }
  return text;
}

describe('streams through a gateway', () => {
  let rig: GatewayRig;
  let gw: RunningGateway;
  let impatient: RunningGateway;
  let account: DeploymentFacts['account'];
  let key: string;
  const clients: RawClient[] = [];
  beforeAll(async () => {
    rig = await GatewayRig.start();
    account = rig.account().id;
    key = rig.key(account).value;
    gw = await rig.gateway();
    impatient = await rig.gateway({ times: TIMES });
  });
  afterAll(() => rig?.end());
  afterEach(() => {
    for (const client of clients.splice(0)) client.destroy();
  });

  const served = async (
    slots: number,
    runners = 1,
  ): Promise<{ deployment: DeploymentFacts; runner: ScriptedRunner; all: ScriptedRunner[] }> => {
    const deployment = rig.deployment(account);
    const all = [];
    for (let i = 0; i < runners; i += 1) all.push(await rig.runner({ dep: deployment.id, slots }));
    for (const gateway of [gw, impatient]) await rig.whenAnswering(gateway, deployment, key);
    return { deployment, runner: all[0]!, all };
  };
  const pathOf = ({ id }: DeploymentFacts): string => `/deployment-${id}/v1/chat/completions`;
  const bodyOf = ({ id }: DeploymentFacts, content: string, fields: object = {}): string =>
    JSON.stringify({ model: `deployment-${id}`, messages: [{ role: 'user', content }], ...fields });
  const headers = () => ({ 'x-api-key': key, 'content-type': 'application/json' });
  const post = (deployment: DeploymentFacts, content: string, fields: object = {}, at = gw): Promise<Response> =>
    fetch(`${at.url}${pathOf(deployment)}`, { method: 'POST', headers: headers(), body: bodyOf(deployment, content, fields) });
  const raw = async (deployment: DeploymentFacts, content: string, fields: object = {}, at = gw): Promise<RawClient> => {
    const client = await RawClient.open(at.gateway.port);
    clients.push(client);
    return client.send(
      rawRequest(pathOf(deployment), [`X-API-Key: ${key}`, 'Content-Type: application/json'], bodyOf(deployment, content, fields)),
    );
  };
  const textOf = (sse: string): string =>
    [...sse.matchAll(/^data: (\{.*\})$/gm)]
      .map((match) => (JSON.parse(match[1]!) as { choices: { delta: { content?: string } }[] }).choices[0]?.delta.content ?? '')
      .join('');

  it('headers name what a schema relaxes, however early', async () => {
    const { deployment, runner } = await served(1);
    for (const stream of [true, false]) {
      let evaluated = (): void => undefined;
      const prompt = new Promise<void>((resolve) => (evaluated = resolve));
      runner.script = async (_start, writer) => {
        writer.phase('prefill');
        writer.relaxed(['/properties/a/not']);
        await prompt;
        writer.events([
          { k: 'start', relaxed: ['/properties/a/not'] },
          { k: 'text', x: 'ok', n: 1 },
          { k: 'fin', r: 'stop' },
        ]);
        return usageOf(1);
      };
      const response = await post(deployment, 'Hello', { stream }, impatient);
      expect(response.headers.get('x-slipway-schema-relaxed')).toBe('/properties/a/not');
      evaluated();
      expect(await response.text()).toContain('ok');
    }
  });

  describe('a client that leaves', () => {
    const ways: [string, (client: RawClient) => void][] = [
      ['by a reset', (client) => client.reset()],
      ['by closing', (client) => client.destroy()],
      ['by closing its half', (client) => void client.socket.end()],
    ];

    it.each(ways)('%s, before the first token, frees its slot', async (_, leave) => {
      const { deployment, runner } = await served(1);
      for (const stream of [true, false]) {
        runner.script = staySilent;
        const client = await raw(deployment, 'x', { stream });
        await until('it runs', () => runner.used === 1);
        leave(client);
        await until('the slot is free', () => runner.used === 0);
        runner.script = answerInWords;
        expect((await post(deployment, 'next')).status).toBe(200);
      }
    });

    it.each(ways)('%s, in mid-stream, frees its slot', async (_, leave) => {
      const { deployment, runner } = await served(1);
      runner.script = answerSlowly(10_000, 5);
      const client = await raw(deployment, 'x', { stream: true });
      await client.untilReceived('t3 ');
      leave(client);
      await until('the slot is free', () => runner.used === 0);
    });

    it('while it waits for a slot is never started', async () => {
      const { deployment, runner } = await served(1);
      runner.script = answerSlowly(1_000, 5);
      const first = await raw(deployment, 'x', { stream: true });
      await first.untilReceived('t1 ');
      const started = runner.admitted.length;
      const waiting = await raw(deployment, 'x', { stream: true });
      await until('it waits', async () => (await gw.metrics.metrics()).includes('slipway_gateway_waiting_requests{service="gateway"} 1'));
      waiting.destroy();
      await until('it is out', async () => (await gw.metrics.metrics()).includes('slipway_gateway_waiting_requests{service="gateway"} 0'));
      first.destroy();
      await until('the slot is free', () => runner.used === 0);
      expect(runner.admitted).toHaveLength(started);
    });

    it('while its body is on the way starts nothing', async () => {
      const { deployment, runner } = await served(1);
      const started = runner.admitted.length;
      const client = await RawClient.open(gw.gateway.port);
      client.send(rawRequest(pathOf(deployment), [`X-API-Key: ${key}`, 'Content-Type: application/json', 'Content-Length: 500'], '{'));
      client.reset();
      expect((await post(deployment, 'next')).status).toBe(200);
      expect(runner.admitted).toHaveLength(started + 1);
    });
  });

  it('wait their turn for a slot, without loss', async () => {
    const { deployment, runner } = await served(2);
    runner.script = async (start, writer, signal) => {
      await pause(20, signal);
      return answerInWords(start, writer, signal);
    };
    const answers = await Promise.all(Array.from({ length: 10 }, (_, i) => post(deployment, `word ${i}`).then((answer) => answer.json())));
    expect(answers.map((answer) => (answer as { choices: { message: { content: string } }[] }).choices[0]?.message.content)).toEqual(
      Array.from({ length: 10 }, (_, i) => `word ${i}`),
    );
  });

  it('beyond four per slot fail at once with hints', async () => {
    const { deployment, runner } = await served(1);
    runner.script = staySilent;
    const held = await Promise.all(Array.from({ length: 5 }, () => raw(deployment, 'x', { stream: true })));
    await until('four wait', async () => (await gw.metrics.metrics()).includes('slipway_gateway_waiting_requests{service="gateway"} 4'));
    const refused = await post(deployment, 'x');
    expect(refused.status).toBe(503);
    expect(await refused.json()).toMatchObject({ error: { code: 'overloaded' } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    for (const client of held) client.destroy();
    await until('the slot is free', () => runner.used === 0);
  });

  it('of one conversation share a runner, others spread', async () => {
    const { deployment, all } = await served(8, 3);
    const countBefore = all.map(({ admitted }) => admitted.length);
    for (let turn = 0; turn < 6; turn += 1) await post(deployment, 'the same first message').then((answer) => answer.text());
    expect(all.map(({ admitted }, i) => admitted.length - countBefore[i]!).toSorted((a, b) => a - b)).toEqual([0, 0, 6]);
    for (let i = 0; i < 60; i += 1) await post(deployment, `conversation ${i}`).then((answer) => answer.text());
    for (const [i, { admitted }] of all.entries()) expect(admitted.length - countBefore[i]!).toBeGreaterThan(5);
  });

  it('of two gateways and three runners stay whole', async () => {
    const { deployment } = await served(4, 3);
    const prompts = Array.from({ length: 24 }, (_, i) => `request ${i} ${'word '.repeat(i)}end`);
    const answers = await Promise.all(
      prompts.map((prompt, i) => post(deployment, prompt, { stream: i % 2 === 0 }, i % 3 ? gw : impatient).then((answer) => answer.text())),
    );
    for (const [i, answer] of answers.entries()) {
      const text =
        i % 2 === 0 ? textOf(answer) : (JSON.parse(answer) as { choices: { message: { content: string } }[] }).choices[0]?.message.content;
      expect(text).toBe(prompts[i]);
    }
  });

  it('move to other runners from lost or refusing ones', async () => {
    const { deployment, all } = await served(8, 2);
    const [gone, stays] = all as [ScriptedRunner, ScriptedRunner];
    await gone.stop();
    for (let i = 0; i < 10; i += 1) expect((await post(deployment, `conversation ${i}`)).status).toBe(200);
    expect(stays.admitted.length).toBeGreaterThanOrEqual(10);
  });

  it('keep the old revision until the new is ready', async () => {
    const { deployment, runner } = await served(2);
    rig.deployments.put(`deployment:${deployment.id}`, { ...deployment, rev: 2 });
    expect((await post(deployment, 'x')).status).toBe(200);
    const next = await rig.runner({ dep: deployment.id, rev: 2 });
    await until('the new one is used', async () => {
      await post(deployment, 'x').then((answer) => answer.text());
      return next.admitted.length > 0;
    });
    const before = runner.admitted.length;
    expect((await post(deployment, 'y')).status).toBe(200);
    expect(runner.admitted).toHaveLength(before);
  });

  it('carry prompts of megabytes, parsed apart from the loop', async () => {
    const { deployment, runner } = await served(1);
    const content = 'long '.repeat(600_000);
    const answer = await post(deployment, content, { max_tokens: 3 });
    expect(await answer.json()).toMatchObject({ choices: [{ message: { content: 'long long long ' } }] });
    expect(wordsOf(runner.admitted.at(-1)!)).toHaveLength(600_000);
  });

  it('reject large broken bodies as small ones', async () => {
    const { deployment } = await served(1);
    const broken = `${bodyOf(deployment, 'long '.repeat(300_000)).slice(0, -1)},"model":"twice"}`;
    const answer = await fetch(`${gw.url}${pathOf(deployment)}`, { method: 'POST', headers: headers(), body: broken });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: { code: 'invalid_json' } });
  });

  it('that are silent get comments, and still answer', async () => {
    const { deployment, runner } = await served(1);
    let speak: () => void;
    runner.script = async (start, writer, signal) => {
      await new Promise<void>((resolve) => (speak = resolve));
      return answerInWords(start, writer, signal);
    };
    const answer = await readAll(await post(deployment, 'late words', { stream: true }, impatient), /^(: waiting\n\n){2}/, () => speak());
    expect(answer).toMatch(/^(: waiting\n\n){2,}data: /);
    expect(textOf(answer)).toBe('late words');
    const document = await readAll(await post(deployment, 'late words', {}, impatient), /^ {2}/, () => speak());
    expect(document).toMatch(/^ {2,}\{/);
    expect(JSON.parse(document)).toMatchObject({ choices: [{ message: { content: 'late words' } }] });
  });

  it('of a silent engine fail and free their slot', async () => {
    const { deployment, runner } = await served(1);
    runner.script = async (_start, writer, signal) => {
      writer.events([{ k: 'text', x: 'half ', n: 1 }]);
      await pause(60_000, signal);
      return usageOf(1);
    };
    const client = await raw(deployment, 'x', { stream: true }, impatient);
    const answer = await client.untilClosed(10_000);
    expect(answer).toMatch(/"half "[^]*data: \{"error":\{[^\n]*"engine_error"\}\}\n\n\r\n$/);
    expect(answer).not.toMatch(/DONE|\r\n0\r\n/);
    await until('the slot is free', () => runner.used === 0);
  });

  it('of a client that never reads are cut', async () => {
    const { deployment, runner } = await served(4);
    const normal = answerSlowly(50, 5);
    const flood: ScriptedRunner['script'] = async (_start, writer, signal) => {
      const x = 'x'.repeat(16_384);
      for (let i = 0; i < 20_000 && !signal.aborted; i += 1) {
        writer.events([{ k: 'text', x, n: 1 }]);
        await pause(1, signal);
      }
      return usageOf(1);
    };
    runner.script = (start, ...rest) => (wordsOf(start)[0] === 'flood' ? flood : normal)(start, ...rest);
    const before = runner.cancelled;
    const stuck = await raw(deployment, 'flood', { stream: true });
    stuck.socket.pause();
    const other = await post(deployment, 'normal', { stream: true });
    expect(textOf(await other.text())).toMatch(/^t0 .*t49 $/);
    await until('the flood is cut', () => runner.cancelled === before + 1, 20_000);
  });

  it('of a slow reader arrive whole, in fewer writes', async () => {
    const { deployment, runner } = await served(1);
    const count = 3_000;
    runner.script = async (_start, writer) => {
      for (let i = 0; i < count; i += 1) writer.events([{ k: 'text', x: `${i}-${'y'.repeat(100)} `, n: 1 }]);
      writer.events([{ k: 'fin', r: 'stop' }]);
      return usageOf(count);
    };
    const answer = await (await post(deployment, 'x', { stream: true })).text();
    expect(textOf(answer)).toBe(Array.from({ length: count }, (_, i) => `${i}-${'y'.repeat(100)} `).join(''));
    expect(answer).toMatch(/\[DONE\]\n\n$/);
  });

  it('of a revoked key end within seconds, even silent', async () => {
    const { deployment, runner } = await served(2);
    const revoked = rig.key(account);
    await rig.whenAnswering(gw, deployment, revoked.value);
    runner.script = (start, ...rest) => (wordsOf(start)[0] === 'silent' ? staySilent : answerSlowly(10_000, 10))(start, ...rest);
    const start = (content: string) =>
      fetch(`${gw.url}${pathOf(deployment)}`, {
        method: 'POST',
        headers: { ...headers(), 'x-api-key': revoked.value },
        body: bodyOf(deployment, content, { stream: true }),
      });
    const running = await start('x');
    const silent = start('silent');
    await until('both run', () => runner.used === 2);
    rig.keys.put(`key:${revoked.id}`, { ...revoked.record, state: 'revoked' } as never);
    await expect(running.text()).rejects.toThrow('terminated');
    expect((await silent).status).toBe(401);
    await until('both slots are free', () => runner.used === 0);
    expect((await start('x')).status).toBe(401);
  });
});
