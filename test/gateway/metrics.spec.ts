import type { AccountId, DeploymentFacts } from '@slipway/contracts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { GatewayRig, type RunningGateway, until } from './gateway-rig.js';
import { answerInWords, type ScriptedRunner } from './scripted-runner.js';

let rig: GatewayRig;
let gateway: RunningGateway;
let deployment: DeploymentFacts;
let account: AccountId;
let key: string;
let runner: ScriptedRunner;

beforeAll(async () => {
  rig = await GatewayRig.start();
  gateway = await rig.gateway();
  account = rig.account().id;
  key = rig.key(account).value;
  deployment = rig.deployment(account);
  runner = await rig.runner({ dep: deployment.id, slots: 1 });
  await rig.whenAnswering(gateway, deployment, key);
});
afterAll(() => rig?.end());

async function ask(signal?: AbortSignal): Promise<void> {
  const response = await fetch(`${gateway.url}/deployment-${deployment.id}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({ model: `deployment-${deployment.id}`, messages: [{ role: 'user', content: 'one two three' }] }),
    ...(signal && { signal }),
  });
  await response.text();
}

/** The value of the deployment's series. */
async function figure(name: string, more = ''): Promise<number | undefined> {
  const line = (await gateway.metrics.metrics())
    .split('\n')
    .find((one) => one.startsWith(`${name}{`) && one.includes(`deployment="${deployment.id}"`) && one.includes(more));
  return line === undefined ? undefined : Number(line.split(' ').at(-1));
}

it('a scrape shows the load of each deployment', async () => {
  expect(await figure('slipway_deployment_slots')).toBe(1);
  expect(await figure('slipway_deployment_replicas', 'state="ready"')).toBe(1);
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  runner.script = async (...given) => held.then(() => answerInWords(...given));

  const asked = [ask(), ask()];

  await until('one runs and one waits', async () => (await figure('slipway_deployment_waiting')) === 1);
  expect(await figure('slipway_deployment_in_flight')).toBe(1);
  expect(await figure('slipway_deployment_slots_used')).toBe(1);
  release();
  await Promise.all(asked);
  await until('none is left', async () => (await figure('slipway_deployment_in_flight')) === 0);
  expect(await figure('slipway_deployment_waiting')).toBe(0);
});

it('each answer is timed by its deployment', async () => {
  deployment = rig.deployment(account);
  await rig.runner({ dep: deployment.id, slots: 1 });
  await until('it has a worker', async () => (await figure('slipway_deployment_replicas', 'state="ready"')) === 1);
  await ask();
  await until('it is counted', async () => (await figure('gen_ai_server_request_duration_seconds_count')) === 1);
  expect(await figure('gen_ai_server_time_to_first_token_seconds_count')).toBe(1);
  expect(await figure('gen_ai_server_time_per_output_token_seconds_count')).toBe(1);
});

it('events of the transport are counters', async () => {
  const text = await gateway.metrics.metrics();
  expect(text).toMatch(/^# TYPE slipway_gateway_transport_events_total counter$/m);
  expect(text).toMatch(/^slipway_gateway_transport_events_total\{event="starts",service="gateway"\} [1-9]/m);
  expect(text).toMatch(/^slipway_gateway_usage_records_waiting\{service="gateway"\} \d+$/m);
});
