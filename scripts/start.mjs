// npm start. Runs on a fresh clone, so nothing here may import an installed package.
import { fileURLToPath } from 'node:url';

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`✗ Slipway needs Node.js 20.19 or newer; this is ${process.versions.node} (https://nodejs.org).\n`);
  process.exit(1);
}
const { runLauncher } = await import('./lib/first-stage.mjs');
process.exit(await runLauncher(fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, ''), process.argv.slice(2), process.env));
