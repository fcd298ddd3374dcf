import { afterAll, beforeAll, expect, it } from 'vitest';
import { runCliInProcess } from '../cli/cli-rig.js';
import { GatewayProcess } from './gateway-process.js';
import { ENV, GatewayRig, until } from './gateway-rig.js';
import { type Script, usageOf } from './scripted-runner.js';

const PROMPT = 'canary-prompt-qhwzkexo';
const ANSWER = 'canary-answer-mbfjytru';

const answer: Script = async (_start, writer) => {
  writer.events([{ k: 'start', prompt: 7 }]);
  writer.events([{ k: 'text', x: ANSWER, n: 1 }]);
  writer.events([{ k: 'fin', r: 'stop' }]);
  return usageOf(1);
};

let rig: GatewayRig;
let gateway: GatewayProcess;
let key: string;
let slug: string;
beforeAll(async () => {
  rig = await GatewayRig.start();
  const account = rig.account();
  key = rig.key(account.id).value;
  const deployment = rig.deployment(account.id);
  slug = `deployment-${deployment.id}`;
  await rig.runner({ dep: deployment.id, script: answer });
  gateway = await GatewayProcess.start(rig.server, { LOG_LEVEL: 'info' });
  await until('the gateway answers', async () => (await ask('chat/completions', {})).status === 200, 30_000);
});
afterAll(async () => {
  await gateway?.end();
  await rig?.end();
});

async function ask(endpoint: string, more: object): Promise<{ status: number; text: string }> {
  const body = JSON.stringify({ model: slug, max_tokens: 9, messages: [{ role: 'user', content: PROMPT }], ...more });
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  const response = await fetch(`http://127.0.0.1:${gateway.port}/${slug}/v1/${endpoint}`, { method: 'POST', headers, body });
  return { status: response.status, text: await response.text() };
}

async function logLevel(...args: string[]): Promise<void> {
  const environment = { NATS_URL: rig.server.url, SLIPWAY_ENV: ENV };
  const run = await runCliInProcess(['log-level', 'gateway', ...args], { environment });
  expect([run.code, run.stderr]).toEqual([0, '']);
}

const counted = (level: string): number => gateway.lines.filter((line) => line['level'] === level).length;
const has = (event: string): boolean => gateway.lines.some((line) => line['event'] === event);

it('a gateway at debug logs no key, prompt or answer', async () => {
  expect(counted('debug')).toBe(0);
  await logLevel('debug', '--for', '10m');
  for (const endpoint of ['chat/completions', 'messages', 'messages/count_tokens']) {
    for (const more of [{}, { stream: true }, { max_tokens: PROMPT }, { messages: PROMPT }]) await ask(endpoint, more);
  }
  expect((await ask('chat/completions', {})).text).toContain(ANSWER);
  await logLevel();
  await until('the log has lines of debug', () => has('log.level_changed') && counted('debug') > 0);

  await logLevel('reset');
  await until('the end of it is in the log', () => has('log.level_restored'));
  const debug = counted('debug');
  const { status } = await ask('chat/completions', {});
  await logLevel();
  await gateway.stop();
  expect([status, counted('debug')]).toEqual([200, debug]);
  for (const secret of [key, key.slice(8, -6), PROMPT, ANSWER]) expect(gateway.output).not.toContain(secret);
});
