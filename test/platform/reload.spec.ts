import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  completeSeeds,
  connectNats,
  createLogger,
  type NatsConnection,
  renderNatsConf,
  roleCredentials,
  watchConnection,
} from '@slipway/platform';
import { endWithProcess, findNatsServer, freePorts } from '@slipway/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../testing/until.js';

const WITHIN_MS = 20_000;
const log = createLogger('test', 'silent');
const seeds = completeSeeds();

describe('a nats-server that reloads its configuration', () => {
  let folder: string;
  let port: number;
  let server: ChildProcess;
  let output = '';
  const open: NatsConnection[] = [];

  const connect = async (role: 'gateway' | 'keys'): Promise<NatsConnection> => {
    const nats = await connectNats({
      url: `nats://127.0.0.1:${port}`,
      role,
      credentialsDir: folder,
      name: role,
      log,
      lost: () => undefined,
    });
    open.push(nats);
    return nats;
  };
  /** The configuration rendered again, from the same seeds or others. */
  async function reload(other = seeds): Promise<void> {
    const before = output.length;
    await writeFile(
      join(folder, 'nats.conf'),
      renderNatsConf({ env: 'dev', host: '127.0.0.1', port, serverName: 'one', storeDir: join(folder, 'js'), seeds: other }),
    );
    server.kill('SIGHUP');
    await until('it has read it', () => /Reloaded server configuration|Failed to reload/.test(output.slice(before)), WITHIN_MS);
    expect(output.slice(before)).not.toContain('Failed to reload');
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'slipway-reload-'));
    [port = 0] = await freePorts(1);
    await mkdir(join(folder, 'js'));
    for (const role of ['gateway', 'keys'] as const) await writeFile(join(folder, `${role}.creds`), roleCredentials(role, seeds));
    await writeFile(
      join(folder, 'nats.conf'),
      renderNatsConf({ env: 'dev', host: '127.0.0.1', port, serverName: 'one', storeDir: join(folder, 'js'), seeds }),
    );
    server = spawn(findNatsServer(), ['-c', join(folder, 'nats.conf')], { stdio: ['ignore', 'ignore', 'pipe'] });
    endWithProcess(server);
    server.stderr?.on('data', (text: Buffer) => (output += text.toString()));
  });
  afterAll(async () => {
    await Promise.all(open.map((nats) => nats.close()));
    server?.kill('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  });

  it('disconnects only clients of changed roles', async () => {
    const [gateway, keys] = await Promise.all([connect('gateway'), connect('keys')]);
    let [gatewayCut, keysCut] = [false, false];
    watchConnection(gateway, { disconnected: () => (gatewayCut = true) });
    watchConnection(keys, { disconnected: () => (keysCut = true) });
    await reload();
    await Promise.all([gateway.flush(), keys.flush()]);
    expect([gatewayCut, keysCut]).toEqual([false, false]);
    // The key of a role is replaced, as after a leak.
    await reload({ ...seeds, scopes: { ...seeds.scopes, gateway: completeSeeds().scopes.gateway } });
    await until('the gateway is cut off', () => gatewayCut, WITHIN_MS);
    await keys.flush();
    expect(keysCut).toBe(false);
  });
});
