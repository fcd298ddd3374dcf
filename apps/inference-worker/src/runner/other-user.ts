import { existsSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A user without rights of its own, as numbers. */
export interface OtherUser {
  readonly uid: number;
  readonly gid: number;
}

const READ = 0o4;
const SEARCH = 0o1;

function allows(path: string, wanted: number, { uid, gid }: OtherUser): boolean {
  const { mode, uid: owner, gid: group } = statSync(path);
  if (owner === uid) return ((mode >> 6) & wanted) === wanted;
  return ((group === gid ? mode >> 3 : mode) & wanted) === wanted;
}

/** Itself not included, up to the root. */
const foldersOf = (path: string): string[] => (dirname(path) === path ? [] : [dirname(path), ...foldersOf(dirname(path))]);

/**
 * The first of the files that the user could not read, or the folder that keeps it from them; null when all are open.
 * Judged by modes alone: access control lists may open more. A file that is not there counts as open.
 */
export function closedTo(user: OtherUser, files: readonly string[]): string | null {
  for (const file of files.filter((path) => existsSync(path))) {
    if (!allows(file, READ, user)) return file;
    const closed = foldersOf(file).find((folder) => !allows(folder, SEARCH, user));
    if (closed !== undefined) return closed;
  }
  return null;
}

/** What this process reads later: its own threads, and the library that reads model files. */
const ownCode = (): string[] => [fileURLToPath(import.meta.url), createRequire(import.meta.url).resolve('node-llama-cpp')];

/**
 * Makes this process one of another user, for good, so that native code which a hostile model file takes over is not root.
 * @returns null when that is done; else why not: a path that the user could not read, or what the system said
 */
export function becomeUser(user: OtherUser, modelPath: string): string | null {
  const closed = closedTo(user, [modelPath, ...ownCode()]);
  if (closed !== null) return `${closed} is closed to user ${user.uid}`;
  try {
    process.setgroups?.([user.gid]);
    process.setgid?.(user.gid);
    process.setuid?.(user.uid);
    return null;
  } catch (error) {
    // A container without the capability: the process is as it was, or of the other group, which takes nothing away.
    return error instanceof Error ? error.message : String(error);
  }
}
