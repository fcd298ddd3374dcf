import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CleanUp } from './processes/clean-up.js';

/** What the first stage, scripts/bench.mjs, prepared. */
export interface BenchStage {
  /** The repository, built. */
  readonly root: string;
  readonly argv: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Path of its binary. */
  readonly nginx: string;
  readonly freePort: () => Promise<number>;
}

const SIGNALS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

/** A folder that is removed at the end. */
export async function temporaryFolder(cleanUp: CleanUp): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-bench-'));
  cleanUp.add(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  // PostgreSQL does not run as root: whoever it runs as must get to its data.
  await chmod(folder, 0o755);
  return folder;
}

/**
 * Does some work, and undoes afterwards what it added to `cleanUp`: also when it fails, and when a signal ends it.
 * @returns the exit code
 */
export async function withCleanUp(work: (cleanUp: CleanUp) => Promise<number>): Promise<number> {
  const cleanUp = new CleanUp();
  const interrupted = new Promise<number>((resolve) => {
    for (const [signal, code] of Object.entries(SIGNALS)) process.on(signal, () => resolve(code));
  });
  const working = work(cleanUp);
  // What it meets once its processes are ended is no news.
  working.catch(() => undefined);
  try {
    return await Promise.race([working, interrupted]);
  } finally {
    await cleanUp.run();
  }
}
