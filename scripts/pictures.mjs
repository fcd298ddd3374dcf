// node scripts/pictures.mjs. Starts a Slipway, fills it with typical data and takes the screenshots of docs/console.md.
// `--out DIR` (default docs/images), `--seconds N` of requests (default 150). `--review` instead takes every screen in light, dark and
// narrow form for a review. Installs what is missing and runs test/dashboard/pictures.
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ensureChromium } from './lib/chromium.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { Progress } from './lib/progress.mjs';

const PROGRAM = new URL('../test/dashboard/pictures/take.mjs', import.meta.url);
const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');
const { values } = parseArgs({
  options: {
    out: { type: 'string', default: 'docs/images' },
    seconds: { type: 'string', default: '150' },
    review: { type: 'boolean', default: false },
  },
});
const progress = new Progress();
await ensureInstalled({ root, dev: true, progress });
const chromium = await ensureChromium({ progress });
if (chromium === null) process.exit(1);
const { takePictures } = await import(PROGRAM.href);
await takePictures({ root, chromium, out: resolve(root, values.out), seconds: Number(values.seconds), review: values.review });
