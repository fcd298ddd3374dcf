import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BenchError } from './bench-error.js';
import { bringUp } from './field.js';
import { gateOf } from './figures/gate.js';
import { pageOf } from './figures/page.js';
import type { RunFile } from './figures/run-file.js';
import { readOptions, USAGE } from './options.js';
import { Session } from './session.js';
import { type BenchStage, withCleanUp } from './stage.js';

const note = (text: string): void => void process.stderr.write(`${text}\n`);

/** @returns the path of the file */
async function write(root: string, run: RunFile): Promise<string> {
  const folder = join(root, 'bench/results');
  await mkdir(folder, { recursive: true });
  const path = join(folder, `${run.at.replaceAll(':', '-').slice(0, 19)}.json`);
  await writeFile(path, `${JSON.stringify(run)}\n`);
  return path;
}

/** @returns the exit code: 1 when a load became dearer than in the state that it is compared with */
async function run(stage: BenchStage): Promise<number> {
  const options = readOptions(stage.argv);
  if (options.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  return withCleanUp(async (cleanUp) => {
    const measured = await new Session(options, await bringUp(stage, options, cleanUp, note)).run();
    const path = await write(stage.root, measured);
    process.stdout.write(`${pageOf(measured)}\n${path}\n`);
    const stopped = measured.against === null ? [] : gateOf(measured, 'slipway', measured.against).filter(({ holds }) => !holds);
    for (const { title } of stopped) note(`✗ dearer than before, or wrong: ${title}`);
    return stopped.length === 0 ? 0 : 1;
  });
}

/**
 * Runs the benchmark to its end.
 * @returns the exit code
 */
export async function runBench(stage: BenchStage): Promise<number> {
  try {
    return await run(stage);
  } catch (error) {
    if (!(error instanceof BenchError)) throw error;
    note(`✗ ${error.message}`);
    return 1;
  }
}
