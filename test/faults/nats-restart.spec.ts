import { describe, it } from 'vitest';
import { pause } from './fleet.js';
import { LossStage } from './loss-stage.js';
import { expectNothingLost, LOAD } from './restart-steps.js';

const stage = LossStage.around(2);

// More kills, starts during one and a server that stays away are under verify.
describe('a killed nats-server', () => {
  it('that returns after a second costs no token', async () => {
    await stage.fleet.openAndFlow(LOAD);
    await stage.nats.kill();
    await pause(1_000);
    await stage.nats.restart();
    await expectNothingLost(stage, 'nats-server kill -9, back after 1 s');
  });
});
