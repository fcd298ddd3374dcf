import type { DeploymentFacts, Incarnation } from '@slipway/contracts';
import { nuid, Tracing } from '@slipway/platform';
import { chatChunk, chatStream, ScriptedUpstream, usageChunk } from '@slipway/testing';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { HttpEngine } from '@slipway/engine-http';
import { Runner } from '../../apps/inference-worker/src/runner/runner.js';
import { ENV, GatewayRig, type RunningGateway } from './gateway-rig.js';

const THREE_MIB = 3 * 1024 * 1024;
/** Quotes and characters of several bytes, which take more room on the way than in memory. */
const LONG = '"é😀 x\n'.repeat(Math.ceil(THREE_MIB / 7)).slice(0, THREE_MIB);
const ARGUMENTS = JSON.stringify({ text: LONG });

let rig: GatewayRig;
let gateway: RunningGateway;
let deployment: DeploymentFacts;
let key: string;
let upstream: ScriptedUpstream;
let runner: Runner;

beforeAll(async () => {
  rig = await GatewayRig.start();
  gateway = await rig.gateway();
});
afterAll(() => rig?.end());

beforeEach(async () => {
  const account = rig.account().id;
  key = rig.key(account).value;
  deployment = rig.deployment(account);
  upstream = await ScriptedUpstream.start(() => chatStream(['ok']));
  const { log } = rig;
  const source = { kind: 'http' as const, url: upstream.url, model: 'scripted' };
  const shape = { context: null, slots: 4, threads: 1 };
  const engine = new HttpEngine(source, { ...shape, queue: 8, defaultMaxTokens: null, log });
  runner = new Runner({
    wk: nuid.next() as Incarnation,
    engine,
    nats: await rig.connect('runner'),
    env: ENV,
    item: { dep: deployment.id, rev: 1, source, ...shape, default_max_tokens: null },
    zone: null,
    log,
    tracing: new Tracing(),
    lost: () => undefined,
  });
  await runner.start(() => undefined, new AbortController().signal);
  await rig.whenAnswering(gateway, deployment, key);
});
afterEach(async () => {
  await runner?.stop({ deadlineMs: 0, stopped: false });
  await upstream?.stop();
});

interface Said {
  readonly content?: string | null;
  readonly tool_calls?: { readonly function: { readonly name?: string; readonly arguments: string } }[];
}

const post = (fields: object): Promise<Response> =>
  fetch(`${gateway.url}/deployment-${deployment.id}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({ model: `deployment-${deployment.id}`, messages: [{ role: 'user', content: 'Hi' }], ...fields }),
  });

/** What a client makes of the answer, streamed or not. */
async function answered(fields: object, stream: boolean): Promise<{ text: string; args: string; finish: string | null }> {
  const response = await post({ ...fields, stream });
  expect(response.status).toBe(200);
  const body = await response.text();
  const documents = stream ? [...body.matchAll(/^data: (\{.*\})$/gm)].map(([, data]) => data ?? '') : [body];
  const choices = documents
    .map((document) => JSON.parse(document) as { choices: { delta?: Said; message?: Said; finish_reason: string | null }[] })
    .flatMap((document) => document.choices);
  const said = choices.map(({ delta, message }) => delta ?? message ?? {});
  return {
    text: said.map(({ content }) => content ?? '').join(''),
    args: said.flatMap(({ tool_calls: calls = [] }) => calls.map((call) => call.function.arguments)).join(''),
    finish: choices.map(({ finish_reason: finish }) => finish).findLast((finish) => finish !== null) ?? null,
  };
}

it.each([true, false])('a 3 MiB text event arrives whole (streamed: %s)', async (stream) => {
  upstream.answer = () => ({ steps: [chatChunk({ role: 'assistant', content: LONG }), chatChunk({}, 'stop'), usageChunk(7, 9)] });
  const { text, finish } = await answered({}, stream);
  expect([text.length, text === LONG, finish]).toEqual([LONG.length, true, 'stop']);
});

it.each([true, false])('a 3 MiB call arrives whole (streamed: %s)', async (stream) => {
  const call = { index: 0, id: 'call_1', type: 'function', function: { name: 'write', arguments: ARGUMENTS } };
  upstream.answer = () => ({ steps: [chatChunk({ tool_calls: [call] }), chatChunk({}, 'tool_calls'), usageChunk(7, 9)] });
  const tools = [{ type: 'function', function: { name: 'write', parameters: { type: 'object' } } }];
  const { args, finish } = await answered({ tools }, stream);
  expect([args.length, args === ARGUMENTS, finish]).toEqual([ARGUMENTS.length, true, 'tool_calls']);
});
