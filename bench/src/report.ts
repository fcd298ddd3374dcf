import { readFile } from 'node:fs/promises';
import { pageOf } from './figures/page.js';
import type { RunFile } from './figures/run-file.js';

/**
 * Prints the page of a run, as Markdown.
 * @param path the run's JSON file
 * @returns the exit code
 * @throws Error in one line for a file of another form
 */
export async function runReport(path: string | undefined): Promise<number> {
  if (path === undefined) throw new Error('Name the JSON file of a run: npm run bench -- report bench/results/FILE.json');
  const run = JSON.parse(await readFile(path, 'utf8')) as Partial<RunFile>;
  if (run.form !== 1) throw new Error(`${path} is no run of this benchmark.`);
  process.stdout.write(pageOf(run as RunFile));
  return 0;
}
