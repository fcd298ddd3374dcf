import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isRunning, ownIdentity } from './process-identity.mjs';

const POLL_MS = 200;

function contentOf(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return null;
  }
}

/** Creates the file with its whole content, or not at all. */
function createWhole(path, content) {
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, JSON.stringify(content), { mode: 0o600 });
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Takes a dead holder's file away. Whoever lost the race puts the winner's back. */
function clearDead(path, dead) {
  const aside = `${path}.dead.${process.pid}`;
  try {
    renameSync(path, aside);
    const found = contentOf(aside);
    if (found?.pid !== dead?.pid || found?.started !== dead?.started) linkSync(aside, path);
  } catch (error) {
    if (error.code !== 'ENOENT' && error.code !== 'EEXIST') throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}

/**
 * Takes a lock file for this process; one whose holder died is taken over.
 * @param {string} path
 * @param {object} [note] kept in the file for whoever finds it taken
 * @returns {object | null} null when taken, else the live holder's content
 */
export function takeLock(path, note = {}) {
  mkdirSync(dirname(path), { recursive: true });
  const content = { ...ownIdentity(), ...note };
  for (let attempt = 0; attempt < 100; attempt += 1) {
    if (createWhole(path, content)) return null;
    const holder = contentOf(path);
    if (holder && isRunning(holder)) return holder;
    clearDead(path, holder);
  }
  throw new Error(`The lock file ${path} cannot be taken.`);
}

/** Gives a lock file back; another process's is left alone. @param {string} path */
export function releaseLock(path) {
  if (contentOf(path)?.pid === process.pid) rmSync(path, { force: true });
}

/**
 * Runs `work` while no other process of this machine holds the lock file.
 * @template T
 * @param {string} path
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withLock(path, work) {
  while (takeLock(path)) await delay(POLL_MS);
  try {
    return await work();
  } finally {
    releaseLock(path);
  }
}
