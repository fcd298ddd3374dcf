// npm run deploy:init: writes the secrets of docker-compose.yml on a machine with Node; brings what it needs.
// `docker compose up` does the same by its service `init`.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { ensureBuilt } from '../scripts/lib/build.mjs';
import { ensureInstalled } from '../scripts/lib/install.mjs';
import { Progress } from '../scripts/lib/progress.mjs';
import { StartError } from '../scripts/lib/start-error.mjs';

const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');
const folder = process.argv[2] ?? process.env.SLIPWAY_SECRETS ?? `${root}/deploy/secrets`;
const progress = new Progress();

try {
  await ensureInstalled({ root, progress });
  await ensureBuilt({ root, progress });
  // In a process of its own: it can be loaded only now.
  const writer = spawn(process.execPath, [`${root}/deploy/write-secrets.mjs`, folder], { stdio: 'inherit' });
  [process.exitCode] = await once(writer, 'exit');
} catch (error) {
  if (!(error instanceof StartError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
