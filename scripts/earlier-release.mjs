// node scripts/earlier-release.mjs [REF]: builds an earlier release in .cache/releases and prints where, as one line of JSON.
// --find only says which commit it is.
import { fileURLToPath } from 'node:url';
import { ensureRelease, findRelease } from './lib/earlier-release.mjs';
import { Progress } from './lib/progress.mjs';
import { StartError } from './lib/start-error.mjs';

const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');
const progress = new Progress();
const args = process.argv.slice(2);

try {
  const found = await findRelease(
    root,
    args.find((arg) => arg !== '--find'),
  );
  const wanted = !('skipped' in found) && !args.includes('--find');
  const where = wanted ? { root: await ensureRelease({ root, commit: found.commit, progress }) } : {};
  console.log(JSON.stringify({ ...found, ...where }));
} catch (error) {
  progress.note(error instanceof StartError ? `✗ ${error.message}` : `✗ ${error?.stack ?? error}`);
  process.exitCode = 1;
}
