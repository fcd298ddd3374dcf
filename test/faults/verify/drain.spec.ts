import { describe, expect, it } from 'vitest';
import { type Drained, eventually, flawed, type StreamResult } from '../fleet.js';
import { LossStage } from '../loss-stage.js';

const stage = LossStage.around();

describe('drain', () => {
  it('moves silent streams at its deadline', async () => {
    await stage.fleet.openAndFlow({ count: 20, tokens: 3_000, hz: 30 });
    await stage.fleet.gateway.ask('open', { count: 20, tokens: 10, hz: 30, prefillMs: 2_000, seed: 100 });
    await eventually(async () => (await stage.fleet.gateway.ask<{ accepted: number }>('progress')).accepted === 40, 'all are accepted');
    const victim = stage.fleet.someWorker;
    const { stopped, unacknowledged } = await stage.fleet.workers.get(victim)!.ask<Drained>('drain', 300);
    stage.fleet.workers.delete(victim);
    expect(stopped).toBeGreaterThan(0);
    expect(unacknowledged).toBe(0);
    await eventually(
      async () => (await stage.fleet.gateway.ask<StreamResult[]>('soFar')).slice(20).every((r) => r.outcome === 'end'),
      'the late ones are whole',
    );
    const results = await stage.fleet.gateway.ask<StreamResult[]>('soFar');
    expect(flawed(results.slice(20), 10)).toEqual([]);
    const cut = results.slice(0, 20).filter((r) => r.workers.includes(victim));
    expect(cut.length).toBeGreaterThan(0);
    expect(cut.filter((r) => r.code !== 'server_shutting_down' || r.wrong > 0)).toEqual([]);
  });
});
