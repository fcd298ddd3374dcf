import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, readFileSync, readlinkSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { connect as connectTcp } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from './ports.mjs';
import { findPostgresHome } from './postgres-home.mjs';
import { startTimeOf } from './process-identity.mjs';
import { lastLines, runCommand } from './run-command.mjs';
import { StartError } from './start-error.mjs';

const SUPERUSER = 'postgres';
const PROBE_MS = 2_000;

/**
 * Creates the database cluster on the first call: UTF-8, sorted by code point, with password authentication.
 * @param {import('./postgres-home.mjs').PostgresHome} home
 * @param {string} password password of the superuser `postgres`
 * @param {string[]} [options] further ones of initdb
 * @returns {Promise<boolean>} false when it existed
 * @throws {StartError} with initdb's last lines of output
 */
export async function initPostgres(home, password, options = []) {
  const data = join(home.folder, 'data');
  if (existsSync(join(data, 'PG_VERSION'))) return false;
  const draft = join(home.folder, 'data.new');
  const passwordFile = join(home.folder, 'password');
  rmSync(draft, { recursive: true, force: true });
  try {
    writeFileSync(passwordFile, password, { mode: 0o600 });
    if (home.user) chownSync(passwordFile, home.user.uid, home.user.gid);
    const locale = ['--encoding=UTF8', '--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C'];
    const args = ['-D', draft, '-U', SUPERUSER, '--auth=scram-sha-256', `--pwfile=${passwordFile}`, ...locale, ...options];
    const result = await runCommand(join(home.bin, 'initdb'), args, { ...home.user, cwd: home.folder, env: { PATH: process.env.PATH } });
    if (result.code !== 0) throw new StartError(`PostgreSQL's data could not be created in ${home.folder}:\n${lastLines(result, 5)}`);
  } finally {
    rmSync(passwordFile, { force: true });
  }
  renameSync(draft, data);
  return true;
}

/**
 * The command line of the server: loopback only, no socket files.
 * @param {import('./postgres-home.mjs').PostgresHome} home
 * @param {number} port
 * @param {Record<string, string>} [settings] further settings of postgresql.conf
 */
export function postgresCommand(home, port, settings = {}) {
  const all = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: '100',
    log_checkpoints: 'off',
    timezone: 'UTC',
    ...settings,
  };
  const flags = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  return {
    command: join(home.bin, 'postgres'),
    args: ['-D', join(home.folder, 'data'), '-p', String(port), ...flags],
    cwd: home.folder,
    user: home.user,
  };
}

/** @returns {string} the address with superuser and password, for DATABASE_URL */
export const postgresUrl = (port, password) => `postgres://${SUPERUSER}:${encodeURIComponent(password)}@127.0.0.1:${port}/postgres`;

function startupMessage() {
  const parameters = Buffer.from(`user\0${SUPERUSER}\0database\0postgres\0\0`, 'latin1');
  const head = Buffer.alloc(8);
  head.writeInt32BE(parameters.length + 8, 0);
  head.writeInt32BE(196_608, 4);
  return Buffer.concat([head, parameters]);
}

/**
 * True when a server accepts clients: it requests a password. A server that is starting or recovering sends an error.
 * @param {number} port
 * @returns {Promise<boolean>}
 */
export function probePostgres(port) {
  return new Promise((resolve) => {
    const socket = connectTcp({ host: '127.0.0.1', port }, () => socket.write(startupMessage()));
    const done = (answer) => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(PROBE_MS, () => done(false));
    socket.once('data', (bytes) => done(bytes.toString('latin1', 0, 1) === 'R'));
    socket.once('error', () => done(false));
    socket.once('close', () => done(false));
  });
}

function servesFolder(pid, data) {
  if (process.platform !== 'linux') return startTimeOf(pid) !== null;
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(data);
  } catch {
    return false;
  }
}

async function isGone(pid, withinMs) {
  const deadline = Date.now() + withinMs;
  while (startTimeOf(pid) !== null && Date.now() < deadline) await delay(20);
  return startTimeOf(pid) === null;
}

/**
 * Ends a server that still runs on this data after its launcher was killed, and removes a stale pid file, whose number may belong to
 * another process by now.
 * @param {import('./postgres-home.mjs').PostgresHome} home
 */
export async function clearStalePostgres(home) {
  const data = join(home.folder, 'data');
  const pidFile = join(data, 'postmaster.pid');
  if (!existsSync(pidFile)) return;
  const pid = Number(readFileSync(pidFile, 'latin1').split('\n')[0]);
  if (Number.isInteger(pid) && pid > 1 && servesFolder(pid, data)) {
    for (const [signal, graceMs] of [
      ['SIGINT', 5_000],
      ['SIGQUIT', 2_000],
      ['SIGKILL', 2_000],
    ]) {
      if (startTimeOf(pid) !== null) process.kill(pid, signal);
      if (await isGone(pid, graceMs)) break;
    }
  }
  rmSync(pidFile, { force: true });
}

async function waitUntilReady(child, port, log) {
  const deadline = Date.now() + 30_000;
  while (!(await probePostgres(port))) {
    if (child.exitCode !== null || child.signalCode !== null || Date.now() > deadline) {
      throw new StartError(`PostgreSQL did not start:\n${lastLines({ stdout: '', stderr: log() }, 8)}`);
    }
    await delay(20);
  }
}

async function stopServer(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGINT');
  const force = setTimeout(() => child.kill('SIGQUIT'), 5_000);
  await ended;
  clearTimeout(force);
}

/**
 * Starts a PostgreSQL for tests and waits until it accepts clients. Dependencies must be installed.
 * @param {{ root: string, dataDir: string, settings?: Record<string, string> }} options
 *   dataDir = parent of its files; settings such as `{ fsync: 'off' }`
 * @returns {Promise<{ url: string, port: number, pid: number, folder: string, stop: () => Promise<void> }>}
 *   url = DATABASE_URL of the superuser; folder = folder of the data, which as root may be outside dataDir
 */
export async function startPostgres({ root, dataDir, settings = {} }) {
  const home = await findPostgresHome({ root, dataDir, id: 'tests' });
  await clearStalePostgres(home);
  rmSync(join(home.folder, 'data'), { recursive: true, force: true });
  const password = randomBytes(16).toString('hex');
  // Data that no crash must survive need no care for their files. Clients derive a key from the password at each connection: with one
  // round in place of 4,096 a connection takes 7 to 25 % less processor time.
  await initPostgres(home, password, ['--no-sync', '--no-data-checksums', '--set', 'scram_iterations=1']);
  const port = await freePort();
  const { command, args, cwd, user } = postgresCommand(home, port, settings);
  const child = spawn(command, args, { ...user, cwd, env: {}, stdio: ['ignore', 'ignore', 'pipe'], detached: true });
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text) => (log = (log + text).slice(-8_192)));
  child.once('error', () => {});
  try {
    await waitUntilReady(child, port, () => log);
  } catch (error) {
    await stopServer(child);
    throw error;
  }
  return { url: postgresUrl(port, password), port, pid: child.pid, folder: home.folder, stop: () => stopServer(child) };
}
