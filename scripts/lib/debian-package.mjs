import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lastLines, runCommand } from './run-command.mjs';

/** Debian's switch against daemons that start with their installation: 101 = not allowed. */
const POLICY = '/usr/sbin/policy-rc.d';

function ownApt(folder) {
  const lists = join(folder, 'lists');
  const cache = join(folder, 'cache');
  mkdirSync(join(lists, 'partial'), { recursive: true });
  mkdirSync(join(cache, 'archives/partial'), { recursive: true });
  // Without the dot apt would take them as relative to its own folders.
  const options = { 'Dir::State::Lists': './lists', 'Dir::Cache': './cache', 'APT::Sandbox::User': '', 'Acquire::Retries': '2' };
  return Object.entries(options).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
}

async function run(command, args, cwd) {
  const result = await runCommand(command, args, { cwd, env: { ...process.env, LC_ALL: 'C', DEBIAN_FRONTEND: 'noninteractive' } });
  if (result.code !== 0) throw new Error(`${command} ${args.at(-1)}: ${lastLines(result, 2).replaceAll('\n', ' ') || 'failed'}`);
}

/**
 * Downloads a package of this Debian or Ubuntu and unpacks it, with own lists and cache: needs no
 * root and changes nothing in the system. apt checks its signature.
 * @param {string} name
 * @param {string} folder empty working folder, the caller's to remove
 * @param {(text: string) => void} detail hears what it is busy with
 * @returns {Promise<string>} folder of the unpacked files
 * @throws {Error} in one line, when the system has no apt or the archive cannot be reached
 */
export async function downloadDebianPackage(name, folder, detail) {
  mkdirSync(folder, { recursive: true });
  const options = ownApt(folder);
  detail('reading the package lists');
  await run('apt-get', [...options, '-qq', 'update'], folder);
  detail('downloading the package');
  await run('apt-get', [...options, '-qq', 'download', name], folder);
  const archive = readdirSync(folder).find((file) => file.endsWith('.deb'));
  if (!archive) throw new Error(`apt-get download ${name}: no package came`);
  await run('dpkg', ['-x', archive, 'files'], folder);
  return join(folder, 'files');
}

/**
 * Installs a package as root without letting it start its daemon.
 * @returns {Promise<boolean>} whether it is installed
 */
export async function aptInstall(name, detail) {
  detail('installing the package');
  const guard = !existsSync(POLICY);
  try {
    if (guard) writeFileSync(POLICY, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    const { code } = await runCommand('apt-get', ['install', '-y', '-qq', '--no-install-recommends', name], { env });
    return code === 0;
  } catch {
    return false;
  } finally {
    if (guard) rmSync(POLICY, { force: true });
  }
}
