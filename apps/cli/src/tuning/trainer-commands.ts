import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ListBases, ListTrainers, type TrainerFacts, type TrainingWorkerView } from '@slipway/contracts';
import { findAccount } from '../accounts/find-account.js';
import { Argument, Option } from 'commander';
import { CliError } from '../cli-errors.js';
import { ACCOUNT, type Call, command, group } from '../command.js';
import { sizeText } from '../deployments/show-commands.js';
import { type Cell, tableOr } from '../table.js';
import { runTool, type ToolLine } from './trainer-tool.js';

const STATES: readonly (readonly [keyof TrainerFacts, string])[] = [
  ['installed', 'installed'],
  ['usable', 'installed before its first job'],
];

/** What a trainer can do now, in words. */
function stateText(trainer: TrainerFacts): string {
  return STATES.find(([fact]) => trainer[fact] === true && trainer.usable)?.[1] ?? trainer.detail ?? 'cannot train';
}

/** What a worker does, in words. */
function workText({ slots, draining }: TrainingWorkerView): string {
  const jobs = slots.flatMap(({ running }) => (running === null ? [] : [`job ${running.job}`]));
  if (draining) return ['ends', ...jobs].join(', ');
  return jobs.length === 0 ? 'idle' : jobs.join(', ');
}

/** One line for each trainer of a worker; one for a worker without any. */
function rowsOf(worker: TrainingWorkerView): Cell[][] {
  const { tw, host, slots, disk_free: disk, trainers, bases } = worker;
  const own = [tw, host, workText(worker), slots.length, sizeText(disk)];
  if (trainers.length === 0) return [[...own, null, null, 'none', null]];
  return trainers.map((trainer) => [
    ...[...own, trainer.name, trainer.version, stateText(trainer)],
    ...[trainer.architectures.join(' '), bases.join(' ')],
  ]);
}

const list = command('list', 'Lists the connected training workers and the trainers that each has.').plans(() => async (session) => {
  const reply = await session.call(ListTrainers, {});
  const titles = ['WORKER', 'HOST', 'DOES', 'SLOTS', 'FREE DISK', 'TRAINER', 'VERSION', 'STATE', 'ARCHITECTURES', 'BASES'];
  const none = 'No training worker is connected. npm start brings one; elsewhere start apps/training-worker.';
  const more = reply.total - reply.workers.length;
  return {
    json: reply,
    text: tableOr(none, titles, reply.workers.flatMap(rowsOf)),
    note: more > 0 ? `There are ${more} more.` : undefined,
  };
});

/** `npx slipway jobs bases`. */
export const bases = command('bases', 'Lists the models that adapters can be trained for.')
  .takes(ACCOUNT)
  .plans(() => async (session) => {
    const account = await findAccount(session);
    const reply = await session.call(ListBases, { account: account.id });
    const rows = reply.bases.map(({ base, architecture, context, trainers, detail }) => [
      ...[base, architecture, context, trainers.join(' '), detail],
    ]);
    const none = reply.workers === 0 ? 'No training worker is connected.' : 'The connected training workers have no base.';
    return {
      json: { account: account.slug, ...reply },
      text: tableOr(none, ['BASE', 'ARCHITECTURE', 'CONTEXT', 'TRAINERS', 'REMARK'], rows),
    };
  });

const REPOSITORY = fileURLToPath(new URL('../../../..', import.meta.url));
/** The base that a trainer is tried on: the bundled model trains in seconds. */
const BUNDLED = join(REPOSITORY, 'models/svc-tiny.Q8_0.gguf');

const FOLDER = new Option('--trainers-dir <DIR>', 'TRAINERS_DIR of the worker (default: trainers in the data folder of npm start)');

/** Arguments by which the tool finds what a worker of this machine has. */
function placeOf(call: Call<{ readonly trainersDir?: string; readonly dataDir?: string }>): string[] {
  const { options, cwd } = call;
  const { trainersDir = call.variable('TRAINERS_DIR'), dataDir } = options;
  const data = dataDir === undefined ? join(REPOSITORY, '.slipway') : resolve(cwd, dataDir);
  const folder = trainersDir === undefined ? join(data, 'trainers') : resolve(cwd, trainersDir);
  const python = call.variable('TORCH_PYTHON');
  return ['--folder', folder, '--threads', call.variable('TRAINING_THREADS') ?? '1', ...(python ? ['--python', python] : [])];
}

/** What bundled trainers take on the disk. */
const SIZES: Readonly<Record<string, string>> = { embedded: '180 MB', torch: '5.8 GB' };

const install = command('install', 'Installs a trainer on this machine, ahead of the first job that needs it.')
  .addArgument(new Argument('<NAME>', 'other trainers are programs of yours, which TRAINERS names').choices(Object.keys(SIZES)))
  .takes(FOLDER)
  .local()
  .plans((call: Parameters<typeof placeOf>[0], name: string) => async ({ terminal }) => {
    terminal.status(`Installing the ${name} trainer: about ${SIZES[name]}.`);
    for await (const line of runTool(['install', name, ...placeOf(call)])) {
      if ('progress' in line) terminal.status(`Installing the ${name} trainer: ${line.progress}.`);
      if (!('installed' in line)) continue;
      terminal.clearStatus();
      return { json: line, text: `${line.already ? 'Installed already' : '✓ Installed'}: ${name} ${line.version ?? ''}`.trim() };
    }
    throw new CliError('trainer_failed', 'The installation ended without a result.');
  });

const test = command(
  'test',
  'Tries a trainer on this machine: a whole run of the sample, a pause, a resumption and a cancel.',
  'Each check says what the worker relies on and what was seen. Ends with 1 when one fails.',
)
  .argument('<MANIFEST>', 'path of the manifest, embedded or torch')
  .takes(FOLDER, new Option('--base <FILE>', 'the GGUF to train (default: the bundled model)'))
  .local()
  .examples('trainers test ./trainer.json', 'trainers test embedded')
  .plans((call: Call<{ readonly base?: string; readonly trainersDir?: string }>, manifest: string) => async ({ terminal }) => {
    const base = call.options.base === undefined ? BUNDLED : resolve(call.cwd, call.options.base);
    const trainer = Object.hasOwn(SIZES, manifest) ? manifest : resolve(call.cwd, manifest);
    const checks: Extract<ToolLine, { check: string }>[] = [];
    terminal.status('Trying the trainer: four short runs.');
    for await (const line of runTool(['test', trainer, '--base', base, ...placeOf(call)])) {
      if ('check' in line) checks.push(line);
    }
    terminal.clearStatus();
    const text = checks.map(({ check, passed, detail }) => `${passed ? '✓' : '✗'} ${check}: ${detail}`).join('\n');
    const failed = checks.filter(({ passed }) => !passed);
    if (failed.length === 0) return { json: { trainer: manifest, passed: true, checks }, text };
    const count = `${failed.length} of ${checks.length} checks failed.`;
    throw new CliError('trainer_failed', `${count}\n${text}`, { checks });
  });

/** `npx slipway trainers …`. */
export const trainers = group('trainers', 'Lists, installs and tries trainers.', [list, install, test]);
