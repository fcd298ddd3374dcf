import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { until } from '../testing/until.js';
import { AgentStage, COUNT } from './agent-stage.js';

// Trainers take what CPU others leave.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

// What else it does with jobs, adapters from outside and measures, and its end, are under verify.
const stage = AgentStage.around();

describe('the agent of a training worker', () => {
  it('reports bases, trainers and its slot', () => {
    expect(stage.base).toMatchObject({ base: 'tiny', architecture: 'qwen3', parameters: 2_164_928, context: 1_024 });
    const beat = stage.lastBeat!;
    expect(beat.trainers.map(({ name, installed }) => [name, installed])).toEqual([
      ['embedded', false],
      ['torch', false],
      ['scripted', true],
    ]);
    expect(beat.slots).toMatchObject([{ id: 'cpu', device: 'cpu', running: null }]);
    expect(beat.bases).toHaveLength(1);
  });

  it('removes what a worker left long ago, and nothing newer', async () => {
    expect(await readdir(join(stage.folder, 'training/jobs'))).toEqual(['8']);
  });

  it('says that the base of a job is another file now', async () => {
    const item = stage.jobItem();
    stage.assign({ ...item, spec: { ...item.spec, base_sha256: 'f'.repeat(64) } });
    expect(await stage.end()).toBe('failed');
    expect(stage.tuning.reports.at(-1)).toMatchObject({
      state: 'failed',
      reason: 'base_changed',
      detail: expect.stringContaining('was changed'),
    });
  });

  it('trains a job and stores its adapter in both forms', async () => {
    stage.tuning.deaf = 2;
    stage.assign(stage.jobItem());
    expect(await stage.end()).toBe('succeeded');
    expect(stage.tuning.states).toEqual(['starting', 'starting', 'starting', 'running', 'finishing', 'evaluating', 'succeeded']);
    expect(stage.tuning.steps).toEqual(Array.from({ length: COUNT }, (_, i) => i + 1));
    expect(stage.tuning.reports.map(({ seq }) => seq)).toEqual(stage.tuning.reports.map((_, i) => i + 1));
    const { adapter, verdict, answers = [] } = stage.tuning.reports.at(-1)!;
    expect(stage.tuning.blobs.get(adapter?.gguf.sha256 ?? '')?.length).toBe(adapter?.gguf.bytes);
    expect(stage.tuning.blobs.get(adapter?.peft.sha256 ?? '')?.length).toBe(adapter?.peft.bytes);
    expect(verdict?.checks.map(({ check }) => check)).toContain('degenerate');
    expect(answers.length).toBeGreaterThan(0);
    expect(stage.tuning.reports.some(({ checkpoint }) => stage.tuning.blobs.has(checkpoint?.adapter ?? ''))).toBe(true);
    await until(
      'the folder of the job is empty',
      async () => (await readdir(join(stage.folder, `training/jobs/${stage.job}`))).length === 0,
    );
  });
});
