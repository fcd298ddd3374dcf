import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { chmod, chown, copyFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { agentOfRunner, deploymentOfRunner, JoinWorker } from '@slipway/contracts';
import { newUserKey, RpcClient } from '@slipway/platform';
import { startTestPostgres, type TestPostgres } from '@slipway/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ENV } from '../services/bus.js';
import { ServiceInProcess } from '../services/service-in-process.js';
import { PEPPER_SECRET } from '../services/service-process.js';
import { anItem } from './an-item.js';
import { type Agent, MODEL, WorkerRig } from './rig.js';
import { until } from './until.js';

describe('a worker with credentials to join only', () => {
  const rig = new WorkerRig();
  let postgres: TestPostgres;
  let keys: ServiceInProcess;
  let agent: Agent;

  beforeAll(async () => {
    [postgres] = await Promise.all([startTestPostgres(), rig.open({ named: true })]);
    keys = await new ServiceInProcess('keys-service', rig.bus, {
      KEYS_DATABASE_URL: await postgres.createDatabase(),
      KEY_PEPPERS: `p1:${PEPPER_SECRET}`,
      SLIPWAY_SECRET_KEY: 'cd'.repeat(32),
    }).ready();
    agent = await rig.startAgent();
  });

  afterAll(async () => {
    await rig.close();
    await keys?.end();
    await postgres?.stop();
  });

  it('names its runners after agent and deployment', async () => {
    rig.assign(agent, [anItem(1)]);
    await rig.ready(agent, 1);
    const { text } = await rig.ask(1, 'Hello', { maxTokens: 8 }).done;
    expect(text).not.toBe('');
    expect(rig.runnersOf(1).map(({ wk }) => [agentOfRunner(wk), deploymentOfRunner(wk)])).toEqual([[agent.wk, 1]]);
  });

  it.runIf(process.platform === 'linux')('hides the agent’s credentials and settings from runners', async () => {
    const { pid } = await rig.ready(agent, 1);
    const read = (name: string): string => readFileSync(`/proc/${pid}/${name}`, 'utf8').replaceAll('\0', '\n');
    const known = /^(PATH|HOME|NODE_.*|LANG|LC_ALL|TZ|TMPDIR|LD_LIBRARY_PATH)=/;
    expect(
      read('environ')
        .split('\n')
        .filter((line) => line !== '' && !known.test(line)),
    ).toEqual([]);
    for (const name of ['environ', 'cmdline']) expect(read(name)).not.toContain(rig.bus.credentialsDir);
    const files = readdirSync(`/proc/${pid}/fd`).map((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`));
    expect(files.filter((path) => path.includes(rig.bus.credentialsDir))).toEqual([]);
  });

  it.runIf(process.getuid?.() === 0)('reads public models as a user of its own', async () => {
    const { pid } = await rig.ready(agent, 1);
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    expect(/^Uid:\s+(.*)$/m.exec(status)?.[1]?.split('\t')).toEqual(Array(4).fill('65533'));
    expect(/^Groups:\s*(.*?)\s*$/m.exec(status)?.[1]).toBe('65533');
  });

  describe.runIf(process.getuid?.() === 0)('where only one user may read a model', () => {
    const aModel = async (name: string, owner: number): Promise<string> => {
      const path = join(rig.folder, name);
      await chmod(rig.folder, 0o711);
      await copyFile(MODEL, path);
      await chmod(path, 0o600);
      await chown(path, owner, owner);
      return path;
    };

    it('runs it as that user rather than as root', async () => {
      const path = await aModel('private.gguf', 1_234);
      rig.assign(agent, [anItem(1), anItem(2, { source: { kind: 'file', path } })]);
      const { pid } = await rig.ready(agent, 2);
      expect(/^Uid:\s+(.*)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]?.split('\t')).toEqual(Array(4).fill('1234'));
    });

    it('runs it as a user without name and home', async () => {
      const path = await aModel('nameless.gguf', 1_235);
      const homeless = await rig.startAgent({ HOME: undefined });
      rig.assign(homeless, [anItem(4, { source: { kind: 'file', path } })]);
      const { pid } = await rig.ready(homeless, 4);
      expect(readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')).toContain(`HOME=${tmpdir()}`);
    });

    it('refuses root’s models where the operator named a user', async () => {
      const path = await aModel('of-root.gguf', 0);
      const strict = await rig.startAgent({ RUNNER_UID: '65533' });
      rig.assign(strict, [anItem(3, { source: { kind: 'file', path } })]);
      await until('it is refused', () =>
        rig.beats.some(({ wk, loads }) => wk === strict.wk && loads.some(({ dep, reason }) => dep === 3 && reason === 'model_missing')),
      );
    });
  });

  it('keeps its name from holders of other keys', async () => {
    const rpc = new RpcClient(await rig.connect('join'), ENV);
    const thief = { wk: agent.wk, key: newUserKey().public, host: 'elsewhere' };
    await expect(rpc.call(JoinWorker, thief)).rejects.toMatchObject({ code: 'slug_taken' });
    const runner = `${agent.wk}-x`;
    await expect(rpc.call(JoinWorker, { ...thief, wk: runner })).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('replaces dead runners while keys-service is away', async () => {
    await keys.stop();
    const { pid } = await rig.ready(agent, 1);
    const before = rig.runnersOf(1).map(({ wk }) => wk);
    process.kill(pid!, 'SIGKILL');
    await until('another runner is ready', () => rig.runnersOf(1).some(({ wk, state }) => state === 'ready' && !before.includes(wk)));
    const { text } = await rig.ask(1, 'Hello again', { maxTokens: 8 }).done;
    expect(text).not.toBe('');
  });
});
