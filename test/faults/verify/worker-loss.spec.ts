import { describe, expect, it } from 'vitest';
import { eventually, flawed, type GatewayStats } from '../fleet.js';
import { LossStage } from '../loss-stage.js';

const stage = LossStage.around();

describe('the loss of a worker', () => {
  it('by kill -9 before a start moves it', async () => {
    await stage.fleet.gateway.ask('open', { count: 8, tokens: 30, hz: 60, prefillMs: 2_500 });
    await eventually(async () => (await stage.fleet.gateway.ask<{ accepted: number }>('progress')).accepted === 8, 'all are accepted');
    await stage.fleet.killWorker(stage.victim);
    // The server knows no subscriber for the stage.victim; the gateway's table still has it.
    await eventually(
      async () => (await stage.fleet.gateway.ask<GatewayStats>('stats')).counters['lostStreams'] !== 0,
      'the gateway sees the loss',
    );
    await stage.fleet.gateway.ask('open', { count: 16, seed: 50, tokens: 30, hz: 60 });
    const results = await stage.results();
    expect(flawed(results.slice(8), 30)).toEqual([]);
  });
});
