import { afterAll, beforeAll, expect, it } from 'vitest';
import { CliRig } from './cli-rig.js';

let rig: CliRig;
beforeAll(async () => {
  rig = await CliRig.start();
});
afterAll(() => rig?.end());

interface Report {
  readonly checks: readonly { readonly name: string; readonly state: string; readonly detail: string }[];
}
const statesOf = ({ checks }: Report): Record<string, string> => Object.fromEntries(checks.map(({ name, state }) => [name, state]));

it('shows which services and databases answer', async () => {
  const states = statesOf(await rig.json<Report>('status'));
  expect(states).toMatchObject({ 'keys-service': 'ok', 'deployments-service': 'ok', 'tuning-service': 'warning', workers: 'ok' });
  expect((await rig.run('status')).stdout).toMatch(/^WHAT +STATE +DETAIL\nnats +\w+ +nats-server \d/);
});

it('fails when a service does not answer', async () => {
  await rig.stopDeployments();
  const run = await rig.run('check', '--json');
  expect(run.code).toBe(1);
  const { error } = JSON.parse(run.stdout) as { error: Report & { code: string } };
  expect([error.code, statesOf(error)['deployments-service']]).toEqual(['check_failed', 'failed']);
});
