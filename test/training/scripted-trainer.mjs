// A trainer in a hundred lines, and an example of one: it takes the settings, data and commands of a run and reports as every trainer
// does, but learns nothing. What it saves is the adapter that it was given.
//
//   node scripted-trainer.mjs --adapter FILE [--first-loss N] [--step-ms N] [--scene NAME]
//
// Scenes: nan, crash, hang, oom, noise, refuse, full, full-at-end. They are the faults that a worker must survive.
import { appendFileSync, copyFileSync, mkdirSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as after } from 'node:timers/promises';
import { parseArgs } from 'node:util';

const { values: given } = parseArgs({
  options: {
    adapter: { type: 'string' },
    'first-loss': { type: 'string', default: '2' },
    'step-ms': { type: 'string', default: '1' },
    scene: { type: 'string', default: '' },
  },
});

// 1. The worker starts the program in the folder of the run. Settings are in spec.json, examples in train.jsonl: one line each, with
//    the text in pieces. What the role `assistant` says is to be learned; the rest is its context.
const spec = JSON.parse(readFileSync('spec.json', 'utf8'));
const examples = readFileSync('train.jsonl', 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line));
const steps = examples.length * spec.epochs;

// 2. Events go to file descriptor 3, one JSON object per line. Standard output and error are free for anything else.
const send = (event) => writeSync(3, `${JSON.stringify(event)}\n`);

// 3. Commands come on standard input, which ends when the worker is gone.
let command = null;
createInterface({ input: process.stdin })
  .on('line', (line) => {
    if (line === 'pause' || line === 'cancel') command ??= line;
  })
  .on('close', () => process.exit(1));

/** The loss falls by a constant share with each step. */
const lossAt = (step) => Number(given['first-loss']) * 0.9 ** (step - 1);

// 4. A checkpoint is a folder to continue from. Announce it when it is complete.
function saveCheckpoint(step) {
  const path = join('checkpoints', String(step));
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, 'state.json'), JSON.stringify({ step }));
  if (given.adapter) copyFileSync(given.adapter, join(path, 'adapter.gguf'));
  send({ ev: 'checkpoint', step, path, ...(given.adapter && { adapter: join(path, 'adapter.gguf') }) });
}

/** Fills the disk of the run. */
function fillDisk() {
  const piece = Buffer.alloc(64 * 1024);
  try {
    for (;;) appendFileSync('ballast', piece);
  } catch (error) {
    if (error.code !== 'ENOSPC') throw error;
  }
}

/** Plays a fault in the middle of the run. */
async function playFault(step) {
  if (step !== Math.ceil(steps / 2)) return;
  if (given.scene === 'crash') process.kill(process.pid, 'SIGSEGV');
  if (given.scene === 'hang') await after(3_600_000, undefined, { ref: true });
  if (given.scene === 'noise') writeSync(3, `no JSON\n${'x'.repeat(40_000)}\n{"ev":"unknown"}\n`);
  if (given.scene === 'full') fillDisk();
  if (given.scene === 'oom') {
    console.error('ggml: failed to allocate 1099511627776 bytes');
    process.exit(134);
  }
}

function begin() {
  if (given.scene === 'refuse') {
    send({ ev: 'failed', code: 'no_such_layer', message: 'The base has no matrix "attn_x".' });
    process.exit(1);
  }
  console.log(`training ${examples.length} examples`);
  send({ ev: 'ready' });
  // 5. A run that continues is told where: the folder of the checkpoint that it announced.
  return spec.resume ? JSON.parse(readFileSync(join(spec.resume.path, 'state.json'), 'utf8')).step + 1 : 1;
}

for (let step = begin(); step <= steps; step += 1) {
  await after(Number(given['step-ms']));
  if (command === 'cancel') process.exit(0);
  if (command === 'pause') {
    saveCheckpoint(step - 1);
    process.exit(0);
  }
  await playFault(step);
  const loss = given.scene === 'nan' && step > steps / 2 ? null : lossAt(step);
  send({ ev: 'step', step, epoch: step / examples.length, loss });
  if (step % spec.checkpoint_steps === 0) saveCheckpoint(step);
  if (spec.held && step % examples.length === 0) send({ ev: 'eval', step, loss: lossAt(step) * 1.1, accuracy: 0.5 });
}

// 6. `saved` is the last event. Its absence means that there is no adapter.
mkdirSync('out', { recursive: true });
if (given.adapter) copyFileSync(given.adapter, 'out/adapter.gguf');
else writeFileSync('out/adapter.gguf', '');
if (given.scene === 'full-at-end') fillDisk();
send({ ev: 'saved', path: 'out/adapter.gguf' });
process.exit(0);
