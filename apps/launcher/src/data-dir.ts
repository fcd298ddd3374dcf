import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { z } from 'zod';

/** Folders of the data directory, which survives a run. */
export interface DataDir {
  readonly path: string;
  readonly secrets: string;
  /** Records of running processes, the lock, and the addresses for the command line. */
  readonly run: string;
  readonly logs: string;
  readonly jetStream: string;
  readonly models: string;
  /** Data sets, checkpoints and adapters. */
  readonly blobs: string;
  readonly bin: string;
}

/** Creates missing folders. All but the data directory itself are closed to other users. */
export async function openDataDir(path: string): Promise<DataDir> {
  const folder = (name: string): Promise<string> => privateFolder(join(path, name));
  const names = ['secrets', 'run', 'logs', 'nats', 'models', 'blobs', 'bin'];
  const [secrets, run, logs, jetStream, models, blobs, bin] = await Promise.all(names.map(folder));
  return { path, ...({ secrets, run, logs, jetStream, models, blobs, bin } as Omit<DataDir, 'path'>) };
}

/** Creates a folder that only its owner can enter. */
export async function privateFolder(path: string): Promise<string> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  return path;
}

/** Replaces a file atomically; only its owner can read it. */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  await privateFolder(dirname(path));
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, text, { mode: 0o600 });
  await rename(draft, path);
}

/**
 * Reads a JSON file of the launcher; undefined when it does not exist.
 * @throws Error that names the file when its content is not valid
 */
export async function readPrivateJson<S extends z.ZodType>(path: string, schema: S): Promise<z.output<S> | undefined> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    return schema.parse(JSON.parse(text));
  } catch (cause) {
    throw new Error(`${path} is damaged; restore it, or start with another --data-dir.`, { cause });
  }
}
