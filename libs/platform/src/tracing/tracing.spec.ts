import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import { newTrace, readTrace } from './trace-context.js';
import { tracingFragment, tracingSettings } from './tracing-settings.js';
import { Tracing } from './tracing.js';

const SAMPLED = readTrace(`00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`);
const UNSAMPLED = readTrace(`00-${'a'.repeat(32)}-${'b'.repeat(16)}-00`);
const settingsOf = (environment: Record<string, string>) => tracingSettings(z.object(tracingFragment).parse(environment), 'gateway');

let tracing = new Tracing();
const start = async (environment: Record<string, string>): Promise<Tracing> => {
  tracing = new Tracing(settingsOf({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', ...environment }));
  await tracing.start();
  return tracing;
};
beforeEach(() => (tracing = new Tracing()));
afterEach(() => tracing.stop());

it('passes the caller’s decision on without a collector', async () => {
  await tracing.start();
  expect(tracing.begin(SAMPLED)).toMatchObject({ traceId: 'a'.repeat(32), parentId: 'b'.repeat(16), isSampled: true });
  expect(tracing.begin(UNSAMPLED).isSampled).toBe(false);
  expect(tracing.begin(null)).toMatchObject({ parentId: null, isSampled: false });
});

it.each([
  ['always_on', '0', [true, true, true]],
  ['always_off', '1', [false, false, false]],
  ['traceidratio', '0', [false, false, false]],
  ['traceidratio', '1', [true, true, true]],
  ['parentbased_always_on', '0', [true, true, false]],
  ['parentbased_always_off', '1', [false, true, false]],
  ['parentbased_traceidratio', '1', [true, true, false]],
  ['parentbased_traceidratio', '0', [false, true, false]],
])('the sampler %s of %s decides', async (sampler, ratio, wanted) => {
  await start({ OTEL_TRACES_SAMPLER: sampler, OTEL_TRACES_SAMPLER_ARG: ratio });
  expect([null, SAMPLED, UNSAMPLED].map((caller) => tracing.begin(caller).isSampled)).toEqual(wanted);
});

it('samples one new trace in twenty by default', async () => {
  await start({});
  const sampled = Array.from({ length: 20_000 }, () => tracing.begin(null)).filter(({ isSampled }) => isSampled).length;
  // 1,000, give or take 31; eight times that happens once in 10^15 runs.
  expect(Math.abs(sampled - 1_000)).toBeLessThan(250);
});

it('a stop waits for no collector that is silent', async () => {
  const silent = createServer();
  silent.listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  await start({ OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`, OTEL_TRACES_SAMPLER: 'always_on' });
  const asked = once(silent, 'request');
  const [startedAt, endedAt] = [Date.now(), Date.now()];
  tracing.record({ trace: newTrace(true), name: 'chat', kind: 'server', startedAt, endedAt, attributes: {} });
  const [, [request]] = await Promise.all([tracing.stop(), asked]);
  expect((request as IncomingMessage).url).toBe('/v1/traces');
  silent.closeAllConnections();
  silent.close();
});

it('reads the attributes of the service', () => {
  const { attributes, service } = settingsOf({ OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment=prod, k8s.pod.name=a%2Cb,none' });
  expect([service, attributes]).toEqual(['slipway-gateway', { 'deployment.environment': 'prod', 'k8s.pod.name': 'a,b' }]);
});
