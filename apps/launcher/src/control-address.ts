import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { DataDir } from './data-dir.js';
import type { NatsAddress } from './nats.js';
import { writePrivateFile } from './private-files.js';

/** Beside the records of processes, so that what a killed launcher left goes with the next start. */
const pathIn = (dataDir: DataDir): string => join(dataDir.run, 'control.json');

/** Tells the command line how to reach the services of this run, and where people open its console once that is known. */
export const announceControl = (
  dataDir: DataDir,
  env: string,
  { url, credentialsOf, consoleUrl }: NatsAddress & { readonly consoleUrl?: string },
): Promise<void> =>
  writePrivateFile(
    pathIn(dataDir),
    JSON.stringify({ environment: env, nats_url: url, credentials_dir: resolve(credentialsOf('ops')), console_url: consoleUrl }),
  );

/** From now on the command line says that nothing runs. */
export const withdrawControl = (dataDir: DataDir): Promise<void> => rm(pathIn(dataDir), { force: true });
