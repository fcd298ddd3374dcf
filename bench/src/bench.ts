import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
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

/**
 * Runs the benchmark to its end.
 * @returns the exit code: 1 when a load became dearer than in the state that it is compared with
 */
export async function runBench(stage: BenchStage): Promise<number> {
  const options = readOptions(stage.argv);
  if (options.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  return withCleanUp(async (cleanUp) => {
    const run = await new Session(options, await bringUp(stage, options, cleanUp, note)).run();
    const path = await write(stage.root, run);
    process.stdout.write(`${pageOf(run)}\n${path}\n`);
    const stopped = run.against === null ? [] : gateOf(run, 'slipway', run.against).filter(({ holds }) => !holds);
    for (const { title } of stopped) note(`✗ dearer than before, or wrong: ${title}`);
    return stopped.length === 0 ? 0 : 1;
  });
}
