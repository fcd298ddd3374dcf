import { workerData } from 'node:worker_threads';
import type { GuardOrder } from './orphan-guard.js';

const LOOK_EVERY_MS = 1_000;

const { agent, withinMs } = workerData as GuardOrder;

const looking = setInterval(() => {
  if (process.ppid === agent) return;
  clearInterval(looking);
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), withinMs);
}, LOOK_EVERY_MS);
