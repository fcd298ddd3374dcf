import { readFile } from 'node:fs/promises';
import { pageOf } from './figures/page.js';
import type { RunFile } from './figures/run-file.js';

const refuse = (text: string): number => {
  process.stderr.write(`✗ ${text}\n`);
  return 1;
};

/**
 * Prints the page of a run, as Markdown.
 * @param path the run's JSON file
 * @returns the exit code
 */
export async function runReport(path: string | undefined): Promise<number> {
  if (path === undefined) return refuse('Name the JSON file of a run: npm run bench -- report bench/results/FILE.json');
  const run = JSON.parse(await readFile(path, 'utf8').catch(() => '{}')) as Partial<RunFile>;
  if (run.form !== 1) return refuse(`${path} is no file of a run.`);
  process.stdout.write(pageOf(run as RunFile));
  return 0;
}
