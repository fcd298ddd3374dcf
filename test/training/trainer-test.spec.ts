import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { documentOf, runCliInProcess } from '../cli/cli-rig.js';
import { DEMO_MODEL } from '../engines/demo-engine.js';
import { failedOf, TrainerTestStage } from './trainer-test-stage.js';

// The other faults of trainers are under verify.
const stage = TrainerTestStage.around();

async function said(manifest: string): Promise<string> {
  const run = await runCliInProcess(['--json', 'trainers', 'test', manifest, '--base', DEMO_MODEL]);
  return documentOf<{ error: { message: string } }>(run).error.message;
}

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

  it('names what a trainer does wrong', () => {
    const { code, checks } = stage.wrongLoss;
    expect(failedOf(checks)).toEqual(['first_loss']);
    expect(code).toBe(1);
  });

  it('says what is wrong with a manifest', async () => {
    const path = join(stage.folder, 'manifest.json');
    await writeFile(path, '{"name": "mine"}');
    expect(await said(path)).toContain('at command');
    await writeFile(path, '{"name": ');
    expect(await said(path)).toContain('is not JSON');
    expect(await said(join(stage.folder, 'none.json'))).toContain('cannot be read');
  });
});
