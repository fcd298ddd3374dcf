// Every static check in one go: types of sources and specs, lint rules, layers, dead code, docstrings of front doors, format.
// `node scripts/lint.mjs types layers` runs only those named, `--lanes 1` one at a time. Dependencies must be installed.
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = fileURLToPath(new URL('..', import.meta.url));
const inModules = (path) => fileURLToPath(new URL(`../node_modules/${path}`, import.meta.url));
const inScripts = (path) => fileURLToPath(new URL(path, import.meta.url));

// Each of several checkers checks anew what they share: four take more than twice the CPU, and on two cores no less time.
const ONE_CHECKER = ['--singleThreaded'];

// Longest first, so that the last one to end began early.
const CHECKS = [
  { name: 'format', fix: 'npm run format', script: 'oxfmt/bin/oxfmt', args: ['--check'] },
  { name: 'types', script: 'typescript-7/bin/tsc', args: [...ONE_CHECKER, '-p', '.', ...(process.stdout.isTTY ? ['--pretty'] : [])] },
  {
    name: 'page types',
    script: 'typescript-7/bin/tsc',
    args: [...ONE_CHECKER, '-p', 'apps/dashboard', ...(process.stdout.isTTY ? ['--pretty'] : [])],
  },
  {
    name: 'layers',
    script: 'dependency-cruiser/bin/dependency-cruise.mjs',
    args: [
      '--config',
      '.dependency-cruiser.cjs',
      '--output-type',
      'err-long',
      'apps',
      'libs',
      'bench/src',
      'conformance/src',
      'test',
      'scripts',
    ],
  },
  { name: 'dead code', script: 'knip/bin/knip.js', args: ['--no-progress', '--no-config-hints'] },
  { name: 'docs', own: 'lib/front-door-docs.mjs', args: [] },
  { name: 'rules', script: 'oxlint/bin/oxlint', args: ['--disable-nested-config'] },
];

function run({ name, script, own, args, fix }) {
  const startedAt = performance.now();
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [own ? inScripts(own) : inModules(script), ...args], {
      cwd: root,
      env: { ...goSettings, ...process.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
    child.on('error', (error) => (output += error.message));
    child.on('close', (code, signal) => {
      resolve({ name, fix, ok: code === 0, output: signal ? `${output}\nEnded by ${signal}.` : output, ms: performance.now() - startedAt });
    });
  });
}

function report({ name, ok, output, ms, fix }) {
  console.log(`${ok ? 'ok    ' : 'FAILED'}  ${name.padEnd(10)} ${(ms / 1000).toFixed(1)} s`);
  if (!ok) console.log(`${output.trimEnd().replace(/^/gm, '    ')}${fix ? `\n    To repair: ${fix}` : ''}\n`);
}

const { values: options, positionals: wanted } = parseArgs({ allowPositionals: true, options: { lanes: { type: 'string' } } });
const lanes = Number(options.lanes ?? Math.max(2, availableParallelism()));
// At its default Go's collector takes a fifth of the time of types and rules. One lane means one core.
const goSettings = { GOGC: '800', GOMEMLIMIT: '4GiB', ...(lanes === 1 && { GOMAXPROCS: '1' }) };
const unknown = wanted.filter((name) => !CHECKS.some((check) => check.name === name));
if (unknown.length > 0) {
  console.error(`No such check: ${unknown.join(', ')}. There are: ${CHECKS.map((check) => check.name).join(', ')}.`);
  process.exit(2);
}

const waiting = CHECKS.filter((check) => wanted.length === 0 || wanted.includes(check.name));
let failed = 0;
async function lane() {
  for (let check = waiting.shift(); check; check = waiting.shift()) {
    const result = await run(check);
    report(result);
    if (!result.ok) failed += 1;
  }
}
await Promise.all(Array.from({ length: lanes }, lane));
process.exitCode = failed > 0 ? 1 : 0;
