import { afterAll, beforeAll, expect, it } from 'vitest';
import { GatewayMetrics } from '../../../apps/gateway/src/observability/gateway-metrics.js';
import { GatewayRig, type RunningGateway } from '../gateway-rig.js';

const DEPLOYMENTS = 1_000;
const SCRAPES = 20;

let rig: GatewayRig;
let running: RunningGateway;

beforeAll(async () => {
  rig = await GatewayRig.start();
  const { id } = rig.account();
  const wanted = Array.from({ length: DEPLOYMENTS }, () => rig.deployment(id));
  running = await rig.gateway({ config: { OPS_PORT: '0' } });
  const metrics = running.gateway.get(GatewayMetrics);
  for (const { id: deployment } of wanted) metrics.ended({ deployment, ms: 61_234.5, firstTokenMs: 1_234.5, completionTokens: 1_000 });
});
afterAll(() => rig?.end());

it('a scrape of 1,000 deployments takes 100 ms at most', async () => {
  const times: number[] = [];
  let text = '';
  for (let n = 0; n < SCRAPES; n += 1) {
    const from = performance.now();
    text = await (await fetch(`http://127.0.0.1:${running.gateway.opsPort}/metrics`)).text();
    times.push(performance.now() - from);
  }
  times.sort((a, b) => a - b);
  const [median, bytes] = [times[SCRAPES / 2] ?? Infinity, Buffer.byteLength(text)];
  process.stdout.write(
    `[metrics] ${DEPLOYMENTS} deployments: ${bytes} bytes, median ${median.toFixed(1)} ms, most ${times.at(-1)?.toFixed(1)} ms\n`,
  );
  expect(text).toContain('deployment="other"');
  expect(bytes).toBeLessThan(2_000_000);
  expect(median).toBeLessThan(100);
});
