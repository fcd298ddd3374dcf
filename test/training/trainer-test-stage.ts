import { execFile } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll } from 'vitest';
import { DEMO_MODEL } from '../engines/demo-engine.js';
import { writeAdapter } from './an-adapter.js';

const CLI = fileURLToPath(new URL('../../apps/cli/bin/slipway.mjs', import.meta.url));
export const SCRIPT = fileURLToPath(new URL('scripted-trainer.mjs', import.meta.url));

interface Check {
  readonly check: string;
  readonly passed: boolean;
  readonly detail: string;
}

interface Tried {
  readonly code: number;
  readonly checks: Check[];
  readonly message: string;
}

export const failedOf = (checks: readonly Check[]): string[] => checks.filter(({ passed }) => !passed).map(({ check }) => check);

/** `slipway trainers test`, as a process without a Slipway that runs. */
export function trainersTest(manifest: string): Promise<Tried> {
  return new Promise((resolve) => {
    execFile(process.execPath, [CLI, '--json', 'trainers', 'test', manifest, '--base', DEMO_MODEL], (error, stdout) => {
      const given = JSON.parse(stdout) as { checks?: Check[]; error?: { checks?: Check[]; message: string } };
      const { checks = [], message = '' } = given.error ?? (given as { checks: Check[] } & { message?: string });
      resolve({ code: error === null ? 0 : Number(error.code), checks, message });
    });
  });
}

/** A folder of manifests, and a scripted trainer that the command tries. */
export class TrainerTestStage {
  readonly folder = mkdtempSync(join(tmpdir(), 'slipway-trainer-test-'));
  readonly #adapter = join(this.folder, 'random.gguf');
  /** What the first step must report, as the test itself says. */
  loss = '';
  /** The test of a trainer that reports another loss. */
  wrongLoss!: Tried;

  /** Prepares it before the tests of the calling file. */
  static around(): TrainerTestStage {
    const stage = new TrainerTestStage();
    beforeAll(async () => {
      await writeAdapter(stage.#adapter, 0.3);
      stage.wrongLoss = await stage.tried('--first-loss', '0');
      [, stage.loss = ''] = /serving engine ([\d.]+)\./.exec(stage.wrongLoss.checks.find(({ check }) => check === 'first_loss')!.detail)!;
    });
    afterAll(() => rm(stage.folder, { recursive: true }));
    return stage;
  }

  async manifestOf(command: readonly string[]): Promise<string> {
    const path = join(this.folder, `${crypto.randomUUID()}.json`);
    await writeFile(path, JSON.stringify({ name: 'mine', version: '1', command, architectures: ['qwen3'], pause: true }));
    return path;
  }

  /** Tries the scripted trainer with these arguments. */
  async tried(...args: string[]): Promise<Tried> {
    return trainersTest(await this.manifestOf([process.execPath, SCRIPT, '--adapter', this.#adapter, '--step-ms', '5', ...args]));
  }
}
