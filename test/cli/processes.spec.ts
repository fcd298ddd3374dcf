import { ReadProcess } from '@slipway/contracts';
import { PROCESS_NAME, RpcClient } from '@slipway/platform';
import type { RunningService } from '@slipway/platform/service';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ENV } from '../services/bus.js';
import { startApp } from '../services/service-in-process.js';
import { until } from '../testing/until.js';
import { CliRig, documentOf } from './cli-rig.js';

interface Shown {
  readonly processes: readonly {
    readonly wk: string;
    readonly settings: readonly { readonly name: string; readonly value: string | null; readonly source: string }[];
  }[];
}
interface Levels {
  readonly processes: readonly { readonly level: string; readonly until: string | null }[];
}

const SECRET = 'cd'.repeat(32);
const PEPPERS = `p1:${'ab'.repeat(32)}`;

let rig: CliRig;
const gateways: RunningService[] = [];
const logs: string[] = [];

/** Starts a gateway with further settings. */
async function startGateway(more: Readonly<Record<string, string>> = {}): Promise<string> {
  const { url, credentialsDir } = rig.bus;
  const address = { SLIPWAY_ENV: ENV, NATS_URL: url, NATS_CREDENTIALS_DIR: credentialsDir };
  const settings = { ...address, KEY_PEPPERS: PEPPERS, SLIPWAY_SECRET_KEY: SECRET, PORT: '0', DRAIN_MS: '500', ...more };
  const gateway = await startApp('gateway', settings, (line) => logs.push(line));
  gateways.push(gateway);
  await until('the gateway is ready', () => gateway.notReady() === null);
  return gateway.get<string>(PROCESS_NAME);
}

let names: string[];
beforeAll(async () => {
  rig = await CliRig.start();
  names = [await startGateway(), await startGateway({ QUEUE_WAIT_MS: '5000' })];
});
afterAll(async () => {
  for (const gateway of gateways) await gateway.stop(0);
  await rig?.end();
});

describe('npx slipway config', () => {
  it('shows settings and their origin without secrets', async () => {
    const [keys] = (await rig.json<Shown>('config', 'keys-service')).processes;
    const settings = new Map(keys!.settings.map(({ name, ...rest }) => [name, rest]));
    expect(settings.get('KEY_PEPPERS')).toEqual({ value: '***', source: 'set' });
    expect(settings.get('SLIPWAY_SECRET_KEY')).toEqual({ value: '***', source: 'set' });
    expect(settings.get('QUOTA_KEYS')).toEqual({ value: '200', source: 'default' });
    expect(settings.get('KEYS_DATABASE_URL')?.value).toMatch(/^postgres(ql)?:\/\/([^:@]+:\*\*\*@|[^@]*$)/);
    const { stdout } = await rig.run('config', keys!.wk);
    expect(stdout).toMatch(/^PROCESS +NAME +HOST +RELEASE +PID +STARTED +LOG LEVEL\nkeys-service +/);
    expect(stdout).toMatch(/^QUOTA_KEYS +200 +default$/m);
  });

  it('names what replicas do not have in common', async () => {
    const { stdout } = await rig.run('config', 'gateway');
    const [shared = '', different = ''] = stdout.split('Not the same in all of them:');
    expect(shared).toMatch(/^ENGINE_SILENCE_MS +120000 +default$/m);
    const rows = different.trim().split('\n').slice(1);
    expect(rows).toHaveLength(2);
    expect(different).toMatch(new RegExp(`^QUEUE_WAIT_MS +${names[0]} +10000 +default$`, 'm'));
    expect(different).toMatch(new RegExp(`^QUEUE_WAIT_MS +${names[1]} +5000 +set$`, 'm'));
    expect(stdout).not.toContain(SECRET);
  });

  it('names the processes that there are for an unknown one', async () => {
    const run = await rig.run('config', 'gatway', '--json');
    const { error } = documentOf<{ error: { code: string; message: string } }>(run);
    expect([run.code, error.code]).toEqual([1, 'process_not_found']);
    expect(error.message).toMatch(/^There is no process "gatway"\. There are: deployments-service \(.+\), gateway \(.+\), keys-service/);
    expect(error.message).toContain(names[0]);
  });

  it('is refused to all other roles', async () => {
    const contract = { ...ReadProcess.gateway, timeoutMs: 300 };
    const asked = (['console', 'worker', 'gateway'] as const).map(async (role) =>
      new RpcClient(await rig.bus.connect(role), ENV).call(contract, {}, { wk: names[0]! }),
    );
    const refused = expect.objectContaining({ status: 'rejected', reason: expect.objectContaining({ code: 'unavailable' }) });
    expect(await Promise.allSettled(asked)).toEqual([refused, refused, refused]);
  });
});

describe('npx slipway log-level', () => {
  const levels = async (...args: string[]): Promise<string[]> =>
    (await rig.json<Levels>('log-level', ...args)).processes.map(({ level, until: end }) => `${level} ${end !== null}`);

  it('changes one process or all of its kind', async () => {
    expect(await levels(names[0]!, 'fatal', '--for', '2h')).toEqual(['fatal true']);
    expect((await levels('gateway')).toSorted()).toEqual(['fatal true', 'silent false']);
    expect(await levels('gateway', 'reset')).toEqual(['silent false', 'silent false']);
    const changes = logs.filter((line) => line.includes('"event":"log.level_changed"'));
    expect(changes).toHaveLength(1);
    for (const line of changes) expect(line).toMatch(/"by":"ops","client":"slipway-cli \S*@\S+"/);
  });

  it.each([
    [['keys-service', 'loud'], 'It takes one of fatal, error, warn, info, debug, silent, or reset.'],
    [['keys-service', 'debug', '--for', '25h'], 'It takes a time from 1s to 24h'],
    [['keys-service', 'debug', '--for', '0m'], 'It takes a time from 1s to 24h'],
    [['keys-service', 'reset', '--for', '5m'], '--for needs a level.'],
    [['keys-service', '--for', '5m'], '--for needs a level.'],
  ])('%j is refused', async (args, reason) => {
    const run = await rig.run('log-level', ...args);
    expect([run.code, run.stderr.includes(reason)], run.stderr).toEqual([2, true]);
  });

  it('knows no process that has gone', async () => {
    await gateways.pop()?.stop(0);
    const run = await rig.run('log-level', names[1]!, 'error');
    expect([run.code, run.stderr.split('\n')[0]]).toEqual([1, expect.stringContaining(`There is no process "${names[1]}".`)]);
  });
});
