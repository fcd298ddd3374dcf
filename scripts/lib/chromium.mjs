import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { aptInstall } from './debian-package.mjs';
import { runCommand } from './run-command.mjs';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const FOLDERS = ['/usr/bin', '/usr/local/bin', '/snap/bin', '/opt/homebrew/bin'];
const APPLICATIONS = ['/Applications/Chromium.app/Contents/MacOS/Chromium', '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'];

function installed(env) {
  const folders = [...(env.PATH ?? '').split(delimiter).filter((folder) => folder !== ''), ...FOLDERS];
  const paths = folders.flatMap((folder) => NAMES.map((name) => join(folder, name)));
  return [...paths, ...APPLICATIONS].find((path) => existsSync(path)) ?? null;
}

async function install(detail) {
  detail('reading the package lists');
  await runCommand('apt-get', ['-qq', 'update']);
  await aptInstall('chromium', detail);
}

/**
 * Finds a Chromium for the tests of the dashboard: CHROMIUM_BIN, the PATH, the usual folders. As root on Debian and Ubuntu, the system's
 * package is installed otherwise; without root its many libraries cannot be unpacked.
 * @param {{ env?: NodeJS.ProcessEnv, progress: import('./progress.mjs').Progress }} options
 * @returns {Promise<string | null>} path of the binary; null when there is none
 */
export async function ensureChromium({ env = process.env, progress }) {
  if (env.CHROMIUM_BIN) return env.CHROMIUM_BIN;
  const found = installed(env);
  if (found !== null) return found;
  if (process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    await progress.step('Installing Chromium for the tests of the dashboard', install);
  }
  const installedNow = installed(env);
  if (installedNow === null) {
    progress.note(
      'No Chromium was found, so the tests of the dashboard will fail: install it (Debian: apt-get install chromium), or name one with CHROMIUM_BIN.',
    );
  }
  return installedNow;
}
