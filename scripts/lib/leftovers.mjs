import { readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isRunning, sessionMembers, startTimeOf } from './process-identity.mjs';

const GRACE_MS = 5_000;

/**
 * The record of a process that a launcher started, see apps/launcher/src/run-records.ts.
 * @typedef {{ name: string, pid: number, started: string | null, signal: NodeJS.Signals, base: boolean }} RunRecord
 *   signal = signal of a graceful stop; base = others need it, so it is ended last
 */

/** @returns {RunRecord | null} */
function readRecord(path) {
  try {
    const record = JSON.parse(readFileSync(path, 'utf8'));
    return Number.isInteger(record.pid) && record.pid > 1 && typeof record.name === 'string' ? record : null;
  } catch {
    return null;
  }
}

/**
 * The record's process and its children. Empty when the pid belongs to another process by now.
 * @param {RunRecord} record
 */
function membersOf(record) {
  const now = startTimeOf(record.pid);
  return now === null || now === record.started ? sessionMembers(record.pid) : [];
}

function send(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}

async function untilGone(records) {
  const deadline = Date.now() + GRACE_MS;
  while (Date.now() < deadline && records.some((record) => membersOf(record).length > 0)) await delay(30);
}

async function end(records) {
  for (const record of records) {
    if (isRunning(record)) send(record.pid, record.signal);
  }
  await untilGone(records);
  for (const record of records) {
    for (const pid of membersOf(record)) send(pid, 'SIGKILL');
  }
  await untilGone(records);
}

/**
 * Ends the processes that a killed launcher left running and their children: first the services, then the servers they need.
 * @param {string} folder folder of the records
 * @returns {Promise<string[]>} the names of the processes that were still running
 */
export async function endLeftovers(folder) {
  const files = readdirSync(folder).filter((file) => file.endsWith('.json'));
  const records = files.map((file) => readRecord(join(folder, file))).filter((record) => record !== null);
  const left = records.filter((record) => membersOf(record).length > 0);
  await end(left.filter((record) => !record.base));
  await end(left.filter((record) => record.base));
  for (const file of files) rmSync(join(folder, file), { force: true });
  return left.map((record) => record.name);
}
