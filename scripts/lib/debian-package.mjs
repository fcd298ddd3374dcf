import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lastLines, runCommand } from './run-command.mjs';

/** Debian's policy script for starting daemons at installation: exit code 101 forbids it. */
const POLICY = '/usr/sbin/policy-rc.d';
/** Debian's public keys. Ubuntu provides them in a package of the same name. */
const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';
/** Archive for systems other than Debian. apt verifies signatures, so plain HTTP is safe. */
const DEBIAN_ARCHIVE = 'http://deb.debian.org/debian';

const toArguments = (options) => Object.entries(options).flatMap(([name, value]) => ['-o', `${name}=${value}`]);

function ownApt(folder) {
  const lists = join(folder, 'lists');
  const cache = join(folder, 'cache');
  mkdirSync(join(lists, 'partial'), { recursive: true });
  mkdirSync(join(cache, 'archives/partial'), { recursive: true });
  // Without the dot, apt would resolve them relative to its own folders.
  const options = { 'Dir::State::Lists': './lists', 'Dir::Cache': './cache', 'APT::Sandbox::User': '', 'Acquire::Retries': '2' };
  return toArguments(options);
}

async function run(command, args, cwd) {
  const result = await runCommand(command, args, { cwd, env: { ...process.env, LC_ALL: 'C', DEBIAN_FRONTEND: 'noninteractive' } });
  if (result.code !== 0) throw new Error(`${command} ${args.at(-1)}: ${lastLines(result, 2).replaceAll('\n', ' ') || 'failed'}`);
  return result.stdout;
}

async function fetchAndUnpack(name, folder, { options, detail }) {
  detail('reading the package lists');
  await run('apt-get', [...options, '-qq', 'update'], folder);
  detail('downloading the package');
  await run('apt-get', [...options, '-qq', 'download', name], folder);
  const archive = readdirSync(folder).find((file) => file.startsWith(`${name}_`) && file.endsWith('.deb'));
  if (!archive) throw new Error(`apt-get download ${name}: no package was downloaded`);
  await run('dpkg', ['-x', archive, 'files'], folder);
  return join(folder, 'files');
}

/**
 * Downloads a package of this Debian or Ubuntu and unpacks it, with separate lists and cache: needs no root and does not change the
 * system. apt verifies its signature.
 * @param {string} name
 * @param {string} folder empty working folder, which the caller removes
 * @param {(text: string) => void} detail called with the present step
 * @returns {Promise<string>} folder of the unpacked files
 * @throws {Error} with a message of one line, when the system has no apt or the archive is not reachable
 */
export async function downloadDebianPackage(name, folder, detail) {
  mkdirSync(folder, { recursive: true });
  return fetchAndUnpack(name, folder, { options: ownApt(folder), detail });
}

/** The Debian archive in this machine's apt configuration, so that its mirror and proxy are used. */
async function debianArchive(folder) {
  const listed = await run('apt-get', [...ownApt(folder), 'indextargets', '--no-release-info', '--format', '$(REPO_URI)'], folder);
  return listed.split('\n').find((uri) => /\/debian\/?$/.test(uri)) ?? DEBIAN_ARCHIVE;
}

async function debianKeyring(folder, detail) {
  if (existsSync(KEYRING)) return KEYRING;
  return join(await downloadDebianPackage('debian-archive-keyring', join(folder, 'keyring'), detail), KEYRING);
}

/**
 * Downloads a package of a given release of Debian, such as `trixie`, and unpacks it like `downloadDebianPackage`. The system's sources
 * and pins are ignored. apt verifies the signature with Debian's keys, which come from the system or its signed archive.
 * @param {{ name: string, release: string, folder: string, detail: (text: string) => void }} options
 *   folder = empty working folder, which the caller removes
 * @returns {Promise<string>} folder of the unpacked files
 * @throws {Error} with a message of one line, when the system has no apt, the archive is not reachable or a signature is invalid
 */
export async function downloadFromDebian({ name, release, folder, detail }) {
  mkdirSync(join(folder, 'none'), { recursive: true });
  const archive = await debianArchive(folder);
  writeFileSync(join(folder, 'debian.list'), `deb [target=Packages] ${archive} ${release} main\n`);
  const only = {
    'Dir::Etc::sourcelist': './debian.list',
    'Dir::Etc::sourceparts': './none',
    'Dir::Etc::trusted': await debianKeyring(folder, detail),
    'Dir::Etc::trustedparts': './none',
    'Dir::Etc::preferences': './none/preferences',
    'Dir::Etc::preferencesparts': './none',
    'APT::Default-Release': '',
    'Acquire::Languages': 'none',
  };
  return fetchAndUnpack(name, folder, { options: [...ownApt(folder), ...toArguments(only)], detail });
}

/**
 * Installs a package as root without starting its daemon.
 * @returns {Promise<boolean>} true if it is installed
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
