import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CliRig } from './cli-rig.js';

let rig: CliRig;
beforeAll(async () => {
  rig = await CliRig.start();
});
afterAll(() => rig?.end());

interface Report {
  readonly processes: readonly { readonly role: string; readonly release: string; readonly not_ready: string | null }[];
  readonly checks: readonly { readonly name: string; readonly state: string; readonly detail: string }[];
}
const statesOf = ({ checks }: Report): Record<string, string> => Object.fromEntries(checks.map(({ name, state }) => [name, state]));

it('shows which services and databases answer', async () => {
  const states = statesOf(await rig.json<Report>('status'));
  expect(states).toMatchObject({ 'keys-service': 'ok', 'deployments-service': 'ok', 'tuning-service': 'warning', workers: 'ok' });
  expect((await rig.run('status')).stdout).toMatch(/^WHAT +STATE +DETAIL\nnats +\w+ +nats-server \d/);
});

it('shows each process with its release', async () => {
  const { checks, processes } = await rig.json<Report>('status');
  const own = (JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string }).version;
  expect(processes.map(({ role, release }) => `${role} ${release}`)).toEqual(expect.arrayContaining([`keys ${own}`, `deployments ${own}`]));
  expect(checks.find(({ name }) => name === 'releases')).toMatchObject({ state: 'ok' });
});

it('fails when a service does not answer', async () => {
  await rig.stopDeployments();
  const run = await rig.run('check', '--json');
  expect(run.code).toBe(1);
  const { error } = JSON.parse(run.stdout) as { error: Report & { code: string } };
  expect([error.code, statesOf(error)['deployments-service']]).toEqual(['check_failed', 'failed']);
});
