// npm run conformance. Installs what is missing, builds conformance/src and runs it. No other part of Slipway is needed.
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ensureInstalled } from './lib/install.mjs';
import { Progress } from './lib/progress.mjs';
import { StartError } from './lib/start-error.mjs';

const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');
const progress = new Progress();

async function build() {
  const { compileProjects } = await import('./lib/compile.mjs');
  compileProjects(root, ['libs/testing', 'conformance']);
}

try {
  await ensureInstalled({ root, dev: true, progress });
  await progress.step('Building the conformance cases', build);
  const { runConformance } = await import(pathToFileURL(join(root, 'conformance/dist/conformance.js')).href);
  process.exitCode = await runConformance(process.argv.slice(2), (text) => console.log(text), process.env);
} catch (error) {
  progress.note(error instanceof StartError ? `✗ ${error.message}` : `✗ ${error?.stack ?? error}`);
  process.exitCode = 2;
}
process.exit();
