import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lastLines, runCommand } from './run-command.mjs';

/** Debian's switch against daemons that start with their installation: 101 = not allowed. */
const POLICY = '/usr/sbin/policy-rc.d';
/** Debian's public keys. Ubuntu has them in a package of the same name. */
const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';
/** For systems that are not Debian. apt checks signatures, so plain HTTP is safe. */
const DEBIAN_ARCHIVE = 'http://deb.debian.org/debian';

const toArguments = (options) => Object.entries(options).flatMap(([name, value]) => ['-o', `${name}=${value}`]);

function ownApt(folder) {
  const lists = join(folder, 'lists');
  const cache = join(folder, 'cache');
  mkdirSync(join(lists, 'partial'), { recursive: true });
  mkdirSync(join(cache, 'archives/partial'), { recursive: true });
  // Without the dot apt would take them as relative to its own folders.
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
  if (!archive) throw new Error(`apt-get download ${name}: no package came`);
  await run('dpkg', ['-x', archive, 'files'], folder);
  return join(folder, 'files');
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
  return fetchAndUnpack(name, folder, { options: ownApt(folder), detail });
}

/** The Debian archive that this machine's apt uses, so that a mirror and a proxy apply here as well. */
async function debianArchive(folder) {
  const listed = await run('apt-get', [...ownApt(folder), 'indextargets', '--no-release-info', '--format', '$(REPO_URI)'], folder);
  return listed.split('\n').find((uri) => /\/debian\/?$/.test(uri)) ?? DEBIAN_ARCHIVE;
}

async function debianKeyring(folder, detail) {
  if (existsSync(KEYRING)) return KEYRING;
  return join(await downloadDebianPackage('debian-archive-keyring', join(folder, 'keyring'), detail), KEYRING);
}

/**
 * Downloads a package of one release of Debian, such as `trixie`, whatever release this system is, and
 * unpacks it, as `downloadDebianPackage` does. The system's own sources and pins do not matter here. apt
 * checks the signature against Debian's keys, which the system, or its own signed archive, provides.
 * @param {{ name: string, release: string, folder: string, detail: (text: string) => void }} options
 *   folder = empty working folder, the caller's to remove
 * @returns {Promise<string>} folder of the unpacked files
 * @throws {Error} in one line, when the system has no apt, the archive cannot be reached or a signature is wrong
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
