import { readFileSync } from 'node:fs';
import { freemem, totalmem } from 'node:os';

/** What one placed model needs, and who holds it. */
export interface MemoryClaim {
  /** Bytes that the model takes once it is loaded; 0 while unknown. */
  readonly need: number;
  /** The file that it maps, with its size in bytes; null = none yet. Replicas of one file share its pages. */
  readonly mapped?: { readonly path: string; readonly bytes: number } | null;
  /** Process that holds it; null before there is one. */
  readonly pid: number | null;
}

const read = (path: string): string | null => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
};

const field = (text: string, name: string): number => {
  const match = new RegExp(`^${name}:?\\s+(\\d+)`, 'm').exec(text);
  return match?.[1] === undefined ? 0 : Number(match[1]);
};

/** Bytes that the kernel could hand out. */
function machineFree(): number {
  const info = read('/proc/meminfo');
  return info === null ? freemem() : field(info, 'MemAvailable') * 1_024;
}

/** Bytes left below the container's limit, file cache that may be dropped not counted as used; null = no limit. */
function cgroupFree(): number | null {
  const version2 = {
    max: '/sys/fs/cgroup/memory.max',
    used: '/sys/fs/cgroup/memory.current',
    stat: '/sys/fs/cgroup/memory.stat',
    cache: 'inactive_file',
  };
  const version1 = {
    max: '/sys/fs/cgroup/memory/memory.limit_in_bytes',
    used: '/sys/fs/cgroup/memory/memory.usage_in_bytes',
    stat: '/sys/fs/cgroup/memory/memory.stat',
    cache: 'total_inactive_file',
  };
  for (const files of [version2, version1]) {
    const max = Number(read(files.max)?.trim() ?? Number.NaN);
    const used = Number(read(files.used)?.trim() ?? Number.NaN);
    // Without a limit version 2 says "max" and version 1 a number near 2^63.
    if (!Number.isFinite(max) || max > 2 ** 60 || !Number.isFinite(used)) continue;
    return Math.max(0, max - used + field(read(files.stat) ?? '', files.cache));
  }
  return null;
}

/** Bytes that the machine has, or the container's limit where that is less. */
export function totalMemory(): number {
  const limits = ['/sys/fs/cgroup/memory.max', '/sys/fs/cgroup/memory/memory.limit_in_bytes'].map((path) =>
    Number(read(path)?.trim() ?? Number.NaN),
  );
  return Math.min(totalmem(), ...limits.filter((limit) => Number.isFinite(limit)));
}

/**
 * Memory of a process and its children without mapped file pages, such as a model's, in bytes. 0 where the system does not
 * report it.
 */
export function heldBy(pid: number | null): number {
  const status = pid === null ? null : read(`/proc/${pid}/status`);
  if (pid === null || status === null) return 0;
  const children = read(`/proc/${pid}/task/${pid}/children`)?.match(/\d+/g) ?? [];
  const own = (field(status, 'RssAnon') + field(status, 'RssShmem')) * 1_024;
  return children.reduce((sum, child) => sum + heldBy(Number(child)), own);
}

/**
 * Bytes that a further model may take: what the machine, the container and the operator's bound leave,
 * less what placed models have yet to take. The kernel calls a mapped model's pages available, so
 * those stay claimed as long as the model is placed, once for each file.
 */
export function freeMemory(all: readonly MemoryClaim[], bound: number | undefined): number {
  const claims = sharingFiles(all);
  const available = Math.min(machineFree(), cgroupFree() ?? Number.POSITIVE_INFINITY);
  const outstanding = claims.reduce((sum, { need, pid }) => sum + Math.max(0, need - heldBy(pid)), 0);
  const claimed = claims.reduce((sum, { need }) => sum + need, 0);
  return Math.max(0, Math.floor(Math.min(available - outstanding, (bound ?? Number.POSITIVE_INFINITY) - claimed)));
}

/** The claims with each mapped file in the first of them only. */
function sharingFiles(claims: readonly MemoryClaim[]): MemoryClaim[] {
  const seen = new Set<string>();
  return claims.map((claim) => {
    const { mapped = null, need } = claim;
    if (mapped === null) return claim;
    const shared = seen.has(mapped.path) ? mapped.bytes : 0;
    seen.add(mapped.path);
    return { ...claim, need: Math.max(0, need - shared) };
  });
}
