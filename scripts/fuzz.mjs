// npm run fuzz. Sends mutated requests to a gateway and reports responses that violate its public contracts.
// `--requests N` (default 100,000), `--seed N` (default random): the same seed sends the same requests.
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const USAGE = 'Usage: npm run fuzz -- [--requests N] [--seed N]';

/** Reads a whole number from 1; ends the process for anything else. */
function count(text, fallback) {
  if (text === undefined) return fallback;
  if (/^[1-9]\d{0,11}$/.test(text)) return Number(text);
  console.error(USAGE);
  return process.exit(2);
}

function options() {
  try {
    return parseArgs({ options: { requests: { type: 'string' }, seed: { type: 'string' } } }).values;
  } catch (error) {
    console.error(`${error.message}\n${USAGE}`);
    return process.exit(2);
  }
}

const { requests, seed } = options();
const environment = {
  ...process.env,
  FUZZ_REQUESTS: String(count(requests, 100_000)),
  FUZZ_SEED: String(count(seed, randomInt(1, 1_000_000_000))),
};
console.log(`Seed ${environment.FUZZ_SEED}: to repeat these requests, add --seed ${environment.FUZZ_SEED}`);
const tests = fileURLToPath(new URL('./test.mjs', import.meta.url));
const child = spawn(process.execPath, [tests, '--all', 'test/fuzz/verify'], { env: environment, stdio: 'inherit' });
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('exit', (code, signal) => {
  process.exitCode = signal ? 1 : code;
});
