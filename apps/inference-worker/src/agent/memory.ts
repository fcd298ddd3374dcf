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

/** Memory of GPUs, in bytes. */
export interface DeviceMemory {
  readonly total: number;
  readonly used: number;
}

/**
 * The same of a worker whose models are on GPUs. What other processes took there counts, as far as it is more than what placed models
 * take; which process took what a driver does not say in a container.
 */
export function deviceMemory(all: readonly MemoryClaim[], device: DeviceMemory, bound = Number.POSITIVE_INFINITY): WorkerMemory {
  // Each process has a copy of its own.
  const claims = sharingFiles(all, ({ pid }, i) => `${pid ?? `place ${i}`}`);
  const claimed = claims.reduce((sum, { need }) => sum + need, 0);
  const free = Math.min(device.total - Math.max(device.used, claimed), bound - claimed);
  return { free: Math.max(0, Math.floor(free)), total: Math.min(device.total, bound) };
}

/** The claims with each mapped file in the first of them only. @param holder claims of one holder share files; absent = all do */
function sharingFiles(claims: readonly MemoryClaim[], holder: (claim: MemoryClaim, place: number) => string = () => ''): MemoryClaim[] {
  const seen = new Set<string>();
  return claims.map((claim, place) => {
    const { mapped = null, need } = claim;
    if (mapped === null) return claim;
    const file = `${holder(claim, place)} ${mapped.path}`;
    const shared = seen.has(file) ? mapped.bytes : 0;
    seen.add(file);
    return { ...claim, need: Math.max(0, need - shared) };
  });
}
