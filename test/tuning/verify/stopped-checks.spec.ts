import { FindVersion } from '@slipway/contracts';
import { describe, expect } from 'vitest';
import { checked, conversations, uploadFile } from '../bytes.js';
import { anAccount, rigTest } from '../rig.js';

describe('a version', () => {
  rigTest('that a stop cut off is checked after the next start', async ({ rig }) => {
    const first = await rig.startReplica();
    const account = anAccount();
    const dataset = await rig.createDataset(account);
    const version = await uploadFile(rig, { account, dataset, text: conversations(60_000) });
    await first.stop();
    await rig.startReplica();
    expect(await checked(rig, account, dataset, version)).toMatchObject({ state: 'ready', examples: 60_000 });
    expect((await rig.ask(FindVersion, { account, dataset, version })).version.progress).toBe(null);
  });
});
