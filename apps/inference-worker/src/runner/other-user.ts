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

/** What this process reads later: its own threads, the engine, and the binding of llama.cpp that the engine's package names. */
function ownCode(): string[] {
  const engine = createRequire(import.meta.url).resolve('@slipway/engine-llama');
  return [fileURLToPath(import.meta.url), engine, createRequire(engine).resolve('node-llama-cpp')];
}

/** The owner of a model file that others cannot read; null for root. The group is not needed to read it as its owner. */
function ownerOf(path: string): OtherUser[] {
  const owner = existsSync(path) ? statSync(path) : { uid: 0, gid: 0 };
  return owner.uid === 0 ? [] : [{ uid: owner.uid, gid: owner.gid === 0 ? owner.uid : owner.gid }];
}

/** The user of a process after it tried to become another one. */
export interface BecomeOutcome {
  readonly uid: number;
  /** Null for the wanted user; else why it is another: a path that the wanted one cannot read, or the system's error. */
  readonly reason: string | null;
}

/**
 * Switches this process to another user for good, so that native code which a hostile model file takes over is not root: to the
 * wanted user, or to the model's owner where the wanted one cannot read it. Where neither can read model and code, the process
 * keeps its user.
 * @param others further files that the engine reads or runs
 */
export function becomeUser(wanted: OtherUser, modelPath: string, others: readonly string[]): BecomeOutcome {
  const files = [modelPath, ...others, ...ownCode()];
  const closed = closedTo(wanted, files);
  const reason = closed === null ? null : `${closed} is closed to user ${wanted.uid}`;
  const user = reason === null ? wanted : ownerOf(modelPath).find((owner) => closedTo(owner, files) === null);
  if (!user) return { uid: 0, reason };
  try {
    process.setgroups?.([user.gid]);
    process.setgid?.(user.gid);
    process.setuid?.(user.uid);
    return { uid: user.uid, reason };
  } catch (error) {
    // A container without the capability: the process is as it was, or of the other group, which takes nothing away.
    return { uid: 0, reason: error instanceof Error ? error.message : String(error) };
  }
}
