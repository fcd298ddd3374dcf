import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { failedOf, TrainerTestStage, trainersTest } from './trainer-test-stage.js';

// The other faults of trainers are under verify.
const stage = TrainerTestStage.around();

describe('trainers test', () => {
  it('passes a trainer that keeps the contract', async () => {
    const { code, checks } = await stage.tried('--first-loss', stage.loss);
    expect(failedOf(checks)).toEqual([]);
    expect(checks.map(({ check }) => check)).toEqual([
      ...['usable', 'architecture', 'ready', 'steps', 'first_loss', 'checkpoints', 'eval', 'events_only', 'saved', 'adapter'],
      ...['pause', 'resume', 'cancel'],
    ]);
    expect(code).toBe(0);
  });

  it('names what a trainer does wrong', async () => {
    const { code, checks } = await stage.tried('--first-loss', stage.loss, '--scene', 'crash');
    expect(failedOf(checks)).toEqual(expect.arrayContaining(['steps', 'saved']));
    expect(checks.map(({ detail }) => detail).join(' ')).toContain('SIGSEGV');
    expect(code).toBe(1);
  });

  it('says what is wrong with a manifest', async () => {
    const path = join(stage.folder, 'manifest.json');
    await writeFile(path, '{"name": "mine"}');
    expect((await trainersTest(path)).message).toContain('at command');
    await writeFile(path, '{"name": ');
    expect((await trainersTest(path)).message).toContain('is not JSON');
    expect((await trainersTest(join(stage.folder, 'none.json'))).message).toContain('cannot be read');
  });
});
