import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { z } from 'zod';

/** Folder that only its owner enters. */
export async function privateFolder(path: string): Promise<string> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  return path;
}

/** Replaces a file that only its owner reads, whole or not at all. */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  await privateFolder(dirname(path));
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, text, { mode: 0o600 });
  await rename(draft, path);
}

/**
 * Reads a JSON file of the launcher's own; undefined when there is none.
 * @throws Error naming the file when it does not hold what it should.
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
