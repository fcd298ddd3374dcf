import type { DeploymentFacts, Incarnation } from '@slipway/contracts';
import { HttpEngine } from '@slipway/engine-http';
import { nuid, Tracing, tracingSettings } from '@slipway/platform';
import { chatStream, ScriptedUpstream, type UpstreamAnswer } from '@slipway/testing';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { WorkerConfig } from '../../apps/inference-worker/src/config.js';
import { Runner } from '../../apps/inference-worker/src/runner/runner.js';
import { type CollectedSpan, OtlpCollector } from '../testing/otlp-collector.js';
import { ENV, GatewayRig, type RunningGateway, until } from './gateway-rig.js';

const SPAN = '00f067aa0ba902b7';

let rig: GatewayRig;
let collector: OtlpCollector;
let gateway: RunningGateway;
let tracing: Tracing;
let deployment: DeploymentFacts;
let key: string;
const upstreams: ScriptedUpstream[] = [];
const runners: Runner[] = [];

beforeAll(async () => {
  rig = await GatewayRig.start();
  collector = await OtlpCollector.start();
  const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_TRACES_SAMPLER_ARG: '0' };
  gateway = await rig.gateway({ config: settings });
  tracing = new Tracing(tracingSettings(WorkerConfig.parse(settings), 'inference-worker'));
  await tracing.start();
});
afterAll(async () => {
  await tracing?.stop();
  await rig?.end();
  await collector?.stop();
});

beforeEach(() => {
  const account = rig.account().id;
  key = rig.key(account).value;
  deployment = rig.deployment(account);
  collector.spans.length = 0;
});
afterEach(async () => {
  await Promise.all(runners.splice(0).map((runner) => runner.stop({ deadlineMs: 0, stopped: false })));
  await Promise.all(upstreams.splice(0).map((upstream) => upstream.stop()));
});

/** A worker of the deployment whose HTTP engine answers as the script says. */
async function worker(answer: UpstreamAnswer): Promise<ScriptedUpstream> {
  const upstream = await ScriptedUpstream.start(answer);
  upstreams.push(upstream);
  const { log } = rig;
  const source = { kind: 'http' as const, url: upstream.url, model: 'scripted' };
  const shape = { context: null, slots: 4, threads: 1 };
  const runner = new Runner({
    wk: nuid.next() as Incarnation,
    engine: new HttpEngine(source, { ...shape, queue: 8, defaultMaxTokens: null, credential: 'sk-engine', log }),
    nats: await rig.connect('runner'),
    env: ENV,
    item: { dep: deployment.id, rev: 1, source, ...shape, default_max_tokens: null },
    zone: null,
    log,
    tracing,
    lost: () => undefined,
  });
  runners.push(runner);
  await runner.start(() => undefined, new AbortController().signal);
  return upstream;
}

async function ask(content: string, trace: string, flags = '01'): Promise<number> {
  const response = await fetch(`${gateway.url}/deployment-${deployment.id}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json', traceparent: `00-${trace}-${SPAN}-${flags}` },
    body: JSON.stringify({ model: `deployment-${deployment.id}`, messages: [{ role: 'user', content }] }),
  });
  await response.text();
  return response.status;
}

/** The spans of a trace, once there are `count`. Collectors get them every 5 s. */
async function spansOf(trace: string, count: number): Promise<{ gateway: CollectedSpan[]; worker: CollectedSpan[] }> {
  const spans = (): CollectedSpan[] => collector.spans.filter(({ traceId }) => traceId === trace);
  await until(`${count} spans`, () => spans().length >= count, 20_000);
  expect(spans()).toHaveLength(count);
  const of = (service: string): CollectedSpan[] => spans().filter((span) => span.service === service);
  return { gateway: of('slipway-gateway'), worker: of('slipway-inference-worker') };
}

const traceOf = (i: number): string => (i + 0xabc000).toString(16).padStart(32, '0');

/** The spans that an engine’s requests name as their caller, by trace. */
const callersAt = (upstream: ScriptedUpstream): Map<string, string> =>
  new Map(
    upstream.requests
      .map(({ headers }) => String(headers['traceparent']).split('-'))
      .filter((parts) => parts.length === 4)
      .map(([, trace = '', span = '']) => [trace, span]),
  );

it('client, gateway, worker and engine are one trace', async () => {
  const upstream = await worker(() => chatStream(['a secret answer']));
  await rig.whenAnswering(gateway, deployment, key);

  expect(await ask('a secret prompt', traceOf(0))).toBe(200);

  const {
    gateway: [outer],
    worker: [inner],
  } = await spansOf(traceOf(0), 2);
  expect(outer).toMatchObject({ parentId: SPAN, name: `chat deployment-${deployment.id}`, isError: false });
  expect(inner).toMatchObject({ parentId: outer?.spanId, name: `chat deployment-${deployment.id}`, isError: false });
  expect(callersAt(upstream).get(traceOf(0))).toBe(inner?.spanId);
  expect(outer?.attributes).toMatchObject({ 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': `deployment-${deployment.id}` });
  expect(Object.keys(inner?.attributes ?? {})).toEqual(expect.arrayContaining(['gen_ai.usage.input_tokens', 'gen_ai.usage.output_tokens']));
  const sent = Buffer.concat(collector.bodies).toString('latin1');
  for (const secret of ['a secret prompt', 'a secret answer', key, 'sk-engine']) expect(sent).not.toContain(secret);
});

it('a retry’s spans have the gateway’s span as parent', async () => {
  const deaf = await worker(() => ({ deaf: true, steps: [] }));
  const whole = await worker(() => chatStream(['ok']));
  await rig.whenAnswering(gateway, deployment, key);
  // Which worker a conversation begins at depends on its text.
  let i = 0;
  do expect(await ask(`Question ${(i += 1)}`, traceOf(i))).toBe(200);
  while (!callersAt(deaf).has(traceOf(i)) && i < 200);

  const {
    gateway: [outer],
    worker: attempts,
  } = await spansOf(traceOf(i), 3);

  expect(attempts.map(({ parentId }) => parentId)).toEqual([outer?.spanId, outer?.spanId]);
  expect(attempts.filter(({ isError }) => isError)).toHaveLength(1);
  expect(attempts.find(({ isError }) => isError)).toMatchObject({
    spanId: callersAt(deaf).get(traceOf(i)),
    attributes: { 'error.type': 'engine_error' },
  });
  expect(attempts.find(({ isError }) => !isError)?.spanId).toBe(callersAt(whole).get(traceOf(i)));
});

it('a trace that its client does not sample is not exported', async () => {
  const upstream = await worker(() => chatStream(['ok']));
  await rig.whenAnswering(gateway, deployment, key);
  expect(await ask('Hi', traceOf(1_001), '00')).toBe(200);
  expect(await ask('Hi', traceOf(1_002))).toBe(200);
  await spansOf(traceOf(1_002), 2);
  expect(callersAt(upstream).has(traceOf(1_001))).toBe(true);
  expect(collector.spans.filter(({ traceId }) => traceId !== traceOf(1_002))).toEqual([]);
});
