import { ListBases, ListTrainers, type TrainerFacts, type TrainingWorkerView } from '@slipway/contracts';
import { findAccount } from '../accounts/find-account.js';
import { ACCOUNT, command, group } from '../command.js';
import { sizeText } from '../deployments/show-commands.js';
import { type Cell, tableOr } from '../table.js';

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

/** `npx slipway trainers …`. */
export const trainers = group('trainers', 'Lists training workers and their trainers.', [list]);
