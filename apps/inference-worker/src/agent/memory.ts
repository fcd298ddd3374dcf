import { readFileSync } from 'node:fs';
import { freemem, totalmem } from 'node:os';
import { processMemory } from '@slipway/platform';

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

interface Machine {
  readonly available: number;
  readonly total: number;
}

/** What the machine has, and what its kernel could hand out, in bytes. */
function machineMemory(): Machine {
  const info = read('/proc/meminfo');
  if (info === null) return { available: freemem(), total: totalmem() };
  return { available: field(info, 'MemAvailable') * 1_024, total: field(info, 'MemTotal') * 1_024 };
}

/** The same of the container, file cache that may be dropped not counted as used; null = no limit. */
function cgroupMemory(): Machine | null {
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
    // Without a limit version 2 says "max" and version 1 a number near 2^63.
    if (!Number.isFinite(max) || max > 2 ** 60) continue;
    const used = Number(read(files.used)?.trim() ?? Number.NaN);
    if (!Number.isFinite(used)) continue;
    return { available: Math.max(0, max - used + field(read(files.stat) ?? '', files.cache)), total: max };
  }
  return null;
}

/** What a worker reports of its memory, in bytes. */
export interface WorkerMemory {
  /**
   * What a further model may take: what the machine, the container and the operator's bound leave, less what placed models have yet
   * to take. The kernel calls a mapped model's pages available, so those stay claimed as long as the model is placed, once for each
   * file.
   */
  readonly free: number;
  /** What the machine has, or the container's limit or the operator's bound where that is less. */
  readonly total: number;
}

/** @param bound bytes that the operator gives to all models together */
export function workerMemory(all: readonly MemoryClaim[], bound = Number.POSITIVE_INFINITY): WorkerMemory {
  const claims = sharingFiles(all);
  const machine = machineMemory();
  const container = cgroupMemory() ?? machine;
  const available = Math.min(machine.available, container.available);
  const outstanding = claims.reduce((sum, { need, pid }) => sum + Math.max(0, need - (pid === null ? 0 : processMemory(pid))), 0);
  const claimed = claims.reduce((sum, { need }) => sum + need, 0);
  return {
    free: Math.max(0, Math.floor(Math.min(available - outstanding, bound - claimed))),
    total: Math.min(machine.total, container.total, bound),
  };
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
