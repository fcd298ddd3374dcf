import { join } from 'node:path';
import { privateFolder } from './private-files.js';

/** Where the launcher keeps what survives a run. */
export interface DataDir {
  readonly path: string;
  readonly secrets: string;
  /** One record per running process, and the lock. */
  readonly run: string;
  readonly logs: string;
  readonly jetStream: string;
  readonly models: string;
  readonly bin: string;
}

/** Makes the folders that are missing. All are closed to other users, apart from the data directory itself. */
export async function openDataDir(path: string): Promise<DataDir> {
  const folder = (name: string): Promise<string> => privateFolder(join(path, name));
  const [secrets, run, logs, jetStream, models, bin] = await Promise.all(['secrets', 'run', 'logs', 'nats', 'models', 'bin'].map(folder));
  return { path, ...({ secrets, run, logs, jetStream, models, bin } as Omit<DataDir, 'path'>) };
}
