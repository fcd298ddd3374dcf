import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { documentOf, runCliInProcess } from '../../cli/cli-rig.js';
import { DEMO_MODEL } from '../../engines/demo-engine.js';
import { failedOf, SCRIPT, TrainerTestStage, trainersTest } from '../trainer-test-stage.js';

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

  it('names a first loss that is wrong', () => {
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

  it.each([
    ['crash', ['steps', 'saved'], 'SIGSEGV'],
    ['nan', ['steps'], 'not a number'],
    ['noise', ['events_only'], '3 lines'],
    ['oom', ['steps', 'saved'], 'ran out of memory'],
    ['refuse', ['ready', 'steps', 'first_loss', 'checkpoints', 'eval', 'saved'], 'The base has no matrix "attn_x".'],
  ])('names what a trainer does wrong: %s', async (scene, failed, words) => {
    const { code, checks } = await stage.tried('--first-loss', stage.loss, '--scene', scene);
    expect(failedOf(checks)).toEqual(expect.arrayContaining(failed));
    expect(
      checks
        .filter(({ passed }) => !passed)
        .map(({ detail }) => detail)
        .join(' '),
    ).toContain(words);
    expect(code).toBe(1);
  });

  it('refuses what is saved and is no adapter', async () => {
    const { checks } = await trainersTest(await stage.manifestOf([process.execPath, SCRIPT, '--first-loss', stage.loss]));
    expect(failedOf(checks)).toEqual(['adapter']);
  });

  it('says at once that a program cannot be started', async () => {
    const { checks } = await trainersTest(await stage.manifestOf([join(stage.folder, 'missing.py')]));
    expect(checks).toEqual([{ check: 'usable', passed: false, detail: 'The program of the trainer mine is missing.' }]);
    const broken = await trainersTest(await stage.manifestOf([process.execPath, '-e', 'throw new Error("no torch here")']));
    expect(failedOf(broken.checks)).toEqual(['ready', 'saved']);
    expect(broken.checks.at(-2)?.detail).toContain('no torch here');
  });
});
