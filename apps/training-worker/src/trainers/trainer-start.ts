import { spawnSync } from 'node:child_process';
import { chmodSync, lchownSync, readdirSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { NICE, STEP_BACK } from '../step-back.js';

/** What a trainer may take. */
export interface TrainerLimits {
  /** Memory of its own, in bytes; absent = all. Pages of files do not count: the system takes them back. */
  readonly memory?: number;
  /** What its runtimes reserve without using it, in bytes; absent = 2 GiB. */
  readonly reserved?: number;
  /** Largest file that it may write, in bytes. */
  readonly fileBytes?: number;
}

/** Files that it may have open, each process of it. */
const OPEN_FILES = 4_096;
/**
 * Room that runtimes reserve without using it, such as heaps and stacks of threads: the embedded trainer 0.6 GiB. The kernel counts it,
 * so its bound lies so much higher, and stops what grows faster than the worker looks.
 */
const RESERVED_BYTES = 2 * 2 ** 30;
const UNLIMITED = 'unlimited';
/** What `ulimit -f` counts in. */
const BLOCK_BYTES = 512;

/**
 * Serving goes first: training takes the CPU that is left, and is killed first when memory runs out. A crash leaves no image of its
 * memory, which holds text of examples, on the disk. It reaches no network where the system lets this process take it away, and runs as
 * a user of its own where there is one for it. Without the means for one of these it runs as it is.
 */
const START = `${STEP_BACK}
{ echo 500 > /proc/self/oom_score_adj; } 2>/dev/null
ulimit -c 0
{ ulimit -d "$3"; ulimit -f "$4"; ulimit -n ${OPEN_FILES}; } 2>/dev/null
if [ "$1" = alone ] && unshare -n true 2>/dev/null; then apart="unshare -n"; fi
if [ "$2" != own ]; then as="setpriv --reuid $2 --regid $2 --clear-groups --no-new-privs"; fi
shift 4
exec $apart ${NICE} $as "$@"`;

/** Ends with 0 where the user that is named first may read all paths after it. */
const READS = `one='for one; do test -r "$one" || exit 1; done'
uid=$1
shift
exec setpriv --reuid "$uid" --regid "$uid" --clear-groups --no-new-privs /bin/sh -c "$one" sh "$@"`;

/** A shell command that starts a program within bounds, as arguments of `/bin/sh`. @param uid null = the user of this process */
export function startArguments(
  command: readonly string[],
  { network, uid, limits }: { readonly network: boolean; readonly uid: number | null; readonly limits: TrainerLimits },
): string[] {
  const { memory, reserved = RESERVED_BYTES, fileBytes } = limits;
  const data = memory === undefined ? UNLIMITED : String(Math.ceil((memory + reserved) / 1_024));
  const file = fileBytes === undefined ? UNLIMITED : String(Math.ceil(fileBytes / BLOCK_BYTES));
  return ['-c', START, 'sh', network ? 'open' : 'alone', uid === null ? 'own' : String(uid), data, file, ...command];
}

/**
 * Gives the folder of a run to a user that owns nothing else, where this process may do that and that user reaches all that a trainer
 * reads.
 * @returns null when the trainer must run as the user of this process
 */
export function userFor(uid: number, { folder, reads }: { readonly folder: string; readonly reads: readonly string[] }): number | null {
  if (uid === 0 || process.getuid?.() !== 0) return null;
  const needed = [folder, ...reads.filter((path) => isAbsolute(path))];
  try {
    // While it is its own: in a container, root may not change the mode of what belongs to others.
    give(folder, 0);
    chmodSync(folder, 0o700);
    give(folder, uid);
    if (isReadable(needed, uid)) return uid;
    give(folder, 0);
  } catch {
    // A root without the capability to give files away.
  }
  return null;
}

function isReadable(paths: readonly string[], uid: number): boolean {
  return spawnSync('/bin/sh', ['-c', READS, 'sh', String(uid), ...paths], { stdio: 'ignore' }).status === 0;
}

function give(path: string, uid: number): void {
  lchownSync(path, uid, uid);
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const below = join(path, entry.name);
    if (entry.isDirectory()) give(below, uid);
    else lchownSync(below, uid, uid);
  }
}
