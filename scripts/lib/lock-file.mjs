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

/** Creates the file with its content atomically; false if it exists. */
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

/** Removes the lock file of a dead process. If another process took the lock in the meantime, its file is put back. */
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
 * Takes a lock file for this process, also from an owner that has ended.
 * @param {string} path
 * @param {object} [note] stored in the file for processes that find it taken
 * @returns {object | null} null when the lock was taken, else the content of its owner
 */
export function takeLock(path, note = {}) {
  mkdirSync(dirname(path), { recursive: true });
  const content = { ...ownIdentity(), ...note };
  for (let attempt = 0; attempt < 100; attempt += 1) {
    if (createWhole(path, content)) return null;
    const owner = contentOf(path);
    if (owner && isRunning(owner)) return owner;
    clearDead(path, owner);
  }
  throw new Error(`The lock file ${path} cannot be taken.`);
}

/** Releases the lock file if this process owns it. @param {string} path */
export function releaseLock(path) {
  if (contentOf(path)?.pid === process.pid) rmSync(path, { force: true });
}

/**
 * Runs `work` while this process owns the lock file.
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
