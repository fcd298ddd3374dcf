import { readFileSync } from 'node:fs';

/** Generations of processes that are looked at. */
const DEPTH_MAX = 8;
const FIELDS = /^(?:RssAnon|RssShmem|VmSwap):\s+(\d+) kB/gm;

/** A file of the system as text; empty where the process has ended, or this system has no such file. */
function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

/**
 * Memory that a process and its children have for themselves, in bytes: what they wrote, also where it was swapped out, without pages
 * of files such as a model's. 0 where the system does not report it. Linux only (proc(5)).
 */
export function processMemory(pid: number, depth = 0): number {
  let bytes = 0;
  for (const [, kib] of read(`/proc/${pid}/status`).matchAll(FIELDS)) bytes += Number(kib) * 1_024;
  if (depth === DEPTH_MAX) return bytes;
  for (const child of read(`/proc/${pid}/task/${pid}/children`).match(/\d+/g) ?? []) bytes += processMemory(Number(child), depth + 1);
  return bytes;
}
