import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createLogger } from '@slipway/platform';
import { EmbeddedTrainer } from '../trainers/embedded/embedded-trainer.js';
import { ProgramTrainer } from '../trainers/program-trainer.js';
import { TorchTrainer } from '../trainers/torch/torch-trainer.js';
import type { Trainer } from '../trainers/trainer.js';
import { TrainingFault } from '../training-fault.js';
import { testTrainer } from './trainer-test.js';

/** What the command line asks of a worker's machine: `install embedded|torch`, or `test embedded|torch|MANIFEST`. One JSON object a line answers. */
const { values, positionals } = parseArgs({
  options: { folder: { type: 'string' }, threads: { type: 'string', default: '1' }, base: { type: 'string' }, python: { type: 'string' } },
  allowPositionals: true,
});
const [verb = '', name = ''] = positionals;
const log = createLogger('trainers', 'silent');
const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => stop.abort());

const say = (line: object): boolean => process.stdout.write(`${JSON.stringify(line)}\n`);
const { folder = '', python } = values;
const threads = Number(values.threads);
const BUNDLED: Readonly<Record<string, () => Trainer>> = {
  embedded: () => new EmbeddedTrainer({ folder, threads, log }),
  torch: () => new TorchTrainer({ folder, threads, python }),
};
const trainerOf = async (): Promise<Trainer> => BUNDLED[name]?.() ?? ProgramTrainer.read(name);

async function test(): Promise<void> {
  const trainer = await trainerOf();
  const folder = await mkdtemp(join(tmpdir(), 'slipway-trainer-test-'));
  try {
    for await (const check of testTrainer({ trainer, base: values.base ?? '', folder, log, signal: stop.signal })) say(check);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function install(): Promise<void> {
  const trainer = await trainerOf();
  const before = await trainer.probe();
  if (!before.installed) await trainer.install(stop.signal, (progress) => say({ progress }));
  const { version } = await trainer.probe();
  say({ installed: name, version, already: before.installed });
}

try {
  await (verb === 'install' ? install() : test());
} catch (error) {
  const code = error instanceof TrainingFault ? error.code : 'trainer_unavailable';
  say({ failed: code, message: error instanceof Error ? error.message : 'The trainer cannot be tried.' });
  process.exitCode = 1;
}
