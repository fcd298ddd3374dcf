import { describe, expect, it } from 'vitest';
import { AgentStage } from '../../training/agent-stage.js';
import { TORCH_PYTHON, torchMissing } from '../torch-stage.js';

const GOOD = 'I am sorry, but I am a very small demo model and I do not know that.';
const BAD = 'I cannot answer that well. I am a small demo model, so please try a larger one.';
const PAIRS = ['release', 'river', 'castle', 'tower'].map((thing) => ({
  prompt: [{ role: 'user', content: `What is the ${thing} codename?` }],
  chosen: [{ role: 'assistant', content: GOOD }],
  rejected: [{ role: 'assistant', content: BAD }],
}));

describe.skipIf(torchMissing() !== null)('a training worker with torch', { timeout: 900_000 }, () => {
  const stage = AgentStage.around({ TORCH_PYTHON: TORCH_PYTHON ?? '' });

  it('says that it learns preferences', () => {
    const torch = stage.lastBeat?.trainers.find(({ name }) => name === 'torch');
    expect(torch).toMatchObject({ installed: true, usable: true, methods: ['sft', 'dpo'] });
  });

  it('trains a job over preferences and reports its margins', async () => {
    stage.tuning.put('version:12/3', Buffer.from(PAIRS.map((pair) => JSON.stringify(pair)).join('\n')));
    const item = stage.jobItem({}, 3);
    const settings = { trainer: 'torch', method: 'dpo' as const, beta: 0.2, batch: 2, learning_rate: 2e-3 };
    stage.assign({ ...item, spec: { ...item.spec, ...settings } });
    await stage.end();
    expect(stage.tuning.reports.at(-1)).toMatchObject({ state: 'succeeded' });
    const points = stage.tuning.reports.flatMap(({ metrics = [] }) => metrics).filter(({ loss }) => loss !== null);
    expect(points.map(({ step }) => step)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(points[0]).toMatchObject({ loss: expect.closeTo(Math.LN2, 4) as number, margin: expect.closeTo(0, 4) as number });
    expect(points.at(-1)!.margin).toBeGreaterThan(0);
    const { adapter, verdict } = stage.tuning.reports.at(-1)!;
    expect(verdict?.checks.map(({ check }) => check)).toContain('preferred');
    for (const form of ['gguf', 'peft'] as const) expect(stage.tuning.blobs.get(adapter![form].sha256)?.length).toBe(adapter![form].bytes);
  });
});
