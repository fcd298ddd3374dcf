import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Size of a folder with everything below it. */
export interface FolderSize {
  readonly bytes: number;
  /** Newest modification time, in milliseconds since 1970. */
  readonly changedAt: number;
}

/** Measures a folder that other processes may change. Files that disappear meanwhile count 0. */
export async function folderSize(folder: string): Promise<FolderSize> {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  const facts = await Promise.all(['.', ...names].map((name) => stat(join(folder, name)).catch(() => null)));
  const known = facts.filter((fact) => fact !== null);
  return {
    bytes: known.reduce((sum, fact) => sum + (fact.isFile() ? fact.size : 0), 0),
    changedAt: known.reduce((newest, fact) => Math.max(newest, fact.mtimeMs), 0),
  };
}
