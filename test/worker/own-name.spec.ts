import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { agentOfRunner, deploymentOfRunner, JoinWorker } from '@slipway/contracts';
import { newUserKey, RpcClient } from '@slipway/platform';
import { describe, expect, it } from 'vitest';
import { ENV } from '../services/bus.js';
import { anItem } from './an-item.js';
import { OwnNameStage } from './own-name-stage.js';

const stage = OwnNameStage.around();

// Models that only one user may read, and an outage of keys-service, are under verify.
describe('a worker with credentials to join only', () => {
  it('names its runners after agent and deployment', async () => {
    stage.rig.assign(stage.agent, [anItem(1)]);
    await stage.rig.ready(stage.agent, 1);
    const { text } = await stage.rig.ask(1, 'Hello', { maxTokens: 8 }).done;
    expect(text).not.toBe('');
    expect(stage.rig.runnersOf(1).map(({ wk }) => [agentOfRunner(wk), deploymentOfRunner(wk)])).toEqual([[stage.agent.wk, 1]]);
  });

  it.runIf(process.platform === 'linux')('hides the agent’s credentials and settings from runners', async () => {
    const { pid } = await stage.rig.ready(stage.agent, 1);
    const read = (name: string): string => readFileSync(`/proc/${pid}/${name}`, 'utf8').replaceAll('\0', '\n');
    const known = /^(PATH|HOME|NODE_.*|LANG|LC_ALL|TZ|TMPDIR|LD_LIBRARY_PATH)=/;
    expect(
      read('environ')
        .split('\n')
        .filter((line) => line !== '' && !known.test(line)),
    ).toEqual([]);
    for (const name of ['environ', 'cmdline']) expect(read(name)).not.toContain(stage.rig.bus.credentialsDir);
    const files = readdirSync(`/proc/${pid}/fd`).map((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`));
    expect(files.filter((path) => path.includes(stage.rig.bus.credentialsDir))).toEqual([]);
  });

  it.runIf(process.getuid?.() === 0)('reads public models as a user of its own', async () => {
    const { pid } = await stage.rig.ready(stage.agent, 1);
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    expect(/^Uid:\s+(.*)$/m.exec(status)?.[1]?.split('\t')).toEqual(Array(4).fill('65533'));
    expect(/^Groups:\s*(.*?)\s*$/m.exec(status)?.[1]).toBe('65533');
  });

  it('keeps its name from holders of other keys', async () => {
    const rpc = new RpcClient(await stage.rig.connect('join'), ENV);
    const thief = { wk: stage.agent.wk, key: newUserKey().public, host: 'elsewhere' };
    await expect(rpc.call(JoinWorker, thief)).rejects.toMatchObject({ code: 'slug_taken' });
    const runner = `${stage.agent.wk}-x`;
    await expect(rpc.call(JoinWorker, { ...thief, wk: runner })).rejects.toMatchObject({ code: 'invalid_request' });
  });
});
