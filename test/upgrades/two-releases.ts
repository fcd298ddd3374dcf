import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type { NatsConfOptions } from '@slipway/platform';

const run = promisify(execFile);
const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url));

/** A built state of the product. */
export interface Release {
  readonly root: string;
  readonly commit: string;
}

/** The present state, which the test run has built. */
export const PRESENT: Release = { root: REPOSITORY, commit: 'present' };

interface Found {
  readonly skipped?: string;
  readonly commit?: string;
  readonly root?: string;
}

async function script(...args: string[]): Promise<Found> {
  const { stdout } = await run(process.execPath, ['scripts/earlier-release.mjs', ...args], { cwd: REPOSITORY });
  return JSON.parse(stdout) as Found;
}

/** Why the release before cannot be run; null where it can. */
export const whyNone = async (): Promise<string | null> => (await script('--find')).skipped ?? null;

/** The release before, built on first use, which takes minutes. */
export async function releaseBefore(): Promise<Release> {
  const { skipped, root, commit } = await script();
  if (root === undefined || commit === undefined) throw new Error(skipped ?? 'The release before was not built.');
  return { root, commit };
}

/** nats.conf as the code of a release writes it. */
export async function natsConfOf({ root }: Release, options: NatsConfOptions): Promise<string> {
  const platform = pathToFileURL(join(root, 'libs/platform/dist/index.js')).href;
  const program = 'const { renderNatsConf } = await import(process.argv[1]); console.log(renderNatsConf(JSON.parse(process.argv[2])));';
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program, platform, JSON.stringify(options)]);
  return stdout;
}
