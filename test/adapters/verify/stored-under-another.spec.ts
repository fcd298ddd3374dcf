import { type AccountId, CreateDeployment } from '@slipway/contracts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ServedStage } from '../served-stage.js';

let stage: ServedStage;
beforeAll(async () => {
  stage = await ServedStage.start();
});
afterAll(() => stage?.end());

it('an adapter that was stored under another is never ready', async () => {
  const account = 502 as AccountId;
  const adapter = await stage.trained(account, 'wrong', await stage.maker.make({ seed: 2 }));
  const { id } = await stage.rig.ask(CreateDeployment, { account, name: 'wrong', adapter: { id: adapter }, context: 512 });
  const { reason, detail } = await stage.seen(account, id, 'failed');
  expect([reason, detail]).toEqual(['witness_failed', expect.stringMatching(/\d\.\d{4} away/)]);
});
