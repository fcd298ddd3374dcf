import { readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isRunning, sessionMembers, startTimeOf } from './process-identity.mjs';

const PATIENCE_MS = 5_000;

/**
 * A process that a launcher started, as its second stage notes it.
 * @typedef {{ name: string, pid: number, started: string | null, signal: NodeJS.Signals, base: boolean }} RunRecord
 *   signal = what stops it in good order; base = others need it, so it goes last
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
 * The record's process and all that it started. A number that was given to another process has no members of ours.
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
  const deadline = Date.now() + PATIENCE_MS;
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
 * Ends what a launcher that was killed left running, and what those processes started: first the
 * services, then what they need.
 * @param {string} folder of the records
 * @returns {Promise<string[]>} the names of those that still ran
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
