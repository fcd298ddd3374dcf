import type { DeploymentFacts, Incarnation } from '@slipway/contracts';
import { HttpEngine } from '@slipway/engine-http';
import { createLogger, LOG, type Logger, nuid, Tracing } from '@slipway/platform';
import { chatStream, ScriptedUpstream, type UpstreamAnswer } from '@slipway/testing';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { Runner } from '../../apps/inference-worker/src/runner/runner.js';
import { ENV, GatewayRig, type RunningGateway, until } from './gateway-rig.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';
const TRACEPARENT = `00-${TRACE}-${SPAN}-01`;

let rig: GatewayRig;
let gateway: RunningGateway;
let deployment: DeploymentFacts;
let key: string;
/** Lines of the workers' logs. */
let lines: string[] = [];
const upstreams: ScriptedUpstream[] = [];
const runners: Runner[] = [];

beforeAll(async () => {
  rig = await GatewayRig.start();
  gateway = await rig.gateway();
});
afterAll(() => rig?.end());

beforeEach(() => {
  const account = rig.account().id;
  key = rig.key(account).value;
  deployment = rig.deployment(account);
  lines = [];
});
afterEach(async () => {
  vi.restoreAllMocks();
  await Promise.all(runners.splice(0).map((runner) => runner.stop({ deadlineMs: 0, stopped: false })));
  await Promise.all(upstreams.splice(0).map((upstream) => upstream.stop()));
});

/** A worker of the deployment whose HTTP engine answers as the script says. */
async function worker(answer: UpstreamAnswer): Promise<ScriptedUpstream> {
  const upstream = await ScriptedUpstream.start(answer);
  upstreams.push(upstream);
  const log = createLogger('worker', 'silent', (line) => void lines.push(line));
  const source = { kind: 'http' as const, url: upstream.url, model: 'scripted' };
  const shape = { context: null, slots: 4, threads: 1 };
  const runner = new Runner({
    wk: nuid.next() as Incarnation,
    engine: new HttpEngine(source, { ...shape, queue: 8, defaultMaxTokens: null, log }),
    nats: await rig.connect('runner'),
    env: ENV,
    item: { dep: deployment.id, rev: 1, source, ...shape, default_max_tokens: null },
    zone: null,
    log,
    tracing: new Tracing(),
    lost: () => undefined,
  });
  runners.push(runner);
  await runner.start(() => undefined, new AbortController().signal);
  return upstream;
}

async function ask(content: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  const response = await fetch(`${gateway.url}/deployment-${deployment.id}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model: `deployment-${deployment.id}`, messages: [{ role: 'user', content }] }),
  });
  await response.text();
  return response;
}

/** The traces that an engine was sent with the requests after the first `known`, as [trace, span, flags, state]. */
const sentTo = (upstream: ScriptedUpstream, known = 0): (string | undefined)[][] =>
  upstream.requests
    .filter(({ method }) => method === 'POST')
    .slice(known)
    .map(({ headers }) => [...String(headers['traceparent']).split('-').slice(1), headers['tracestate']?.toString()]);

it('a client’s trace reaches the engine and both logs', async () => {
  const upstream = await worker(() => chatStream(['ok']));
  await rig.whenAnswering(gateway, deployment, key);
  const written = vi.spyOn(gateway.gateway.get<Logger>(LOG), 'info');
  const known = sentTo(upstream).length;

  expect((await ask('Hi', { traceparent: TRACEPARENT, tracestate: 'rojo=1, congo=2' })).status).toBe(200);

  const [trace, span, flags, state] = sentTo(upstream, known)[0] ?? [];
  expect([trace, flags, state]).toEqual([TRACE, '01', 'rojo=1,congo=2']);
  expect(span).toMatch(/^[\da-f]{16}$/);
  expect(span).not.toBe(SPAN);
  await until('both lines are written', () => written.mock.calls.length > 0 && lines.some((line) => line.includes(TRACE)));
  expect(written.mock.calls[0]?.[0]).toMatchObject({ trace_id: TRACE, status: 200 });
});

it.each([
  ['none', {}],
  ['an invalid one', { traceparent: `00-${'0'.repeat(32)}-${SPAN}-01`, tracestate: 'rojo=1' }],
  ['a repeated one', { traceparent: `${TRACEPARENT}, ${TRACEPARENT}` }],
])('a trace begins at the gateway for %s', async (_, headers: Readonly<Record<string, string>>) => {
  const upstream = await worker(() => chatStream(['ok']));
  await rig.whenAnswering(gateway, deployment, key);
  const known = sentTo(upstream).length;
  expect((await ask('Hi', headers)).status).toBe(200);
  const [trace, , flags, state] = sentTo(upstream, known)[0] ?? [];
  expect(trace).toMatch(/^(?!0{32})[\da-f]{32}$/);
  expect([trace === TRACE, flags, state]).toEqual([false, '00', undefined]);
});

it('a retry at a second worker keeps the trace', async () => {
  const deaf = await worker(() => ({ deaf: true, steps: [] }));
  const whole = await worker(() => chatStream(['ok']));
  await rig.whenAnswering(gateway, deployment, key);
  // Which worker a conversation begins at depends on its text.
  for (let i = 0; i < 200 && !sentTo(deaf).some(([trace]) => trace === traceOf(i - 1)); i += 1) {
    expect((await ask(`Question ${i}`, { traceparent: `00-${traceOf(i)}-${SPAN}-01` })).status).toBe(200);
  }
  const [trace, span] = sentTo(deaf).at(-1) ?? [];
  const [again] = sentTo(whole).filter(([other]) => other === trace);
  expect(again?.[0]).toBe(trace);
  expect([span, again?.[1]]).not.toContain(SPAN);
  expect(again?.[1]).not.toBe(span);
});

const traceOf = (i: number): string => (i + 1).toString(16).padStart(32, '0');
