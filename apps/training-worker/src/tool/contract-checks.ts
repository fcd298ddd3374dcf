import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { RunSettings } from '../trainers/trainer.js';
import type { TrainerEvent } from '../trainers/trainer-events.js';
import { parityFault } from '../training/step-watch.js';
import { inWords, type Trial } from './trial-run.js';

/** One promise of a trainer, and whether it keeps it. */
export interface ContractCheck {
  readonly check: string;
  readonly passed: boolean;
  /** What was seen, in one sentence or two. */
  readonly detail: string;
}

export interface WholeRun {
  readonly settings: RunSettings;
  /** Learned examples: steps of an epoch. */
  readonly examples: number;
  /** Loss of the first example as the serving engine has it. */
  readonly ours: number;
}

type Step = Extract<TrainerEvent, { ev: 'step' }>;
type Checkpoint = Extract<TrainerEvent, { ev: 'checkpoint' }>;

const LOG_LINES = 12;
const check = (name: string, passed: boolean, detail: string): ContractCheck => ({ check: name, passed, detail });

/** Checks a run that was left alone. One without events says no more than why. */
export function checksOfWhole(trial: Trial, whole: WholeRun): ContractCheck[] {
  if (trial.events.length === 0) return [ready(trial), saved(trial)];
  const steps = trial.events.filter((event) => event.ev === 'step');
  return [
    ready(trial),
    stepsInOrder(steps, whole),
    firstLoss(trial, whole),
    checkpoints(trial),
    heldOut(trial),
    onlyEvents(trial),
    saved(trial),
  ];
}

function ready({ events, lines }: Trial): ContractCheck {
  const [first] = events;
  if (first?.ev === 'ready') return check('ready', true, 'The first event is `ready`.');
  return check('ready', false, first ? `The first event is \`${first.ev}\`.` : `No event arrived on file descriptor 3. ${lastOf(lines)}`);
}

function stepsInOrder(steps: readonly Step[], { settings, examples }: WholeRun): ContractCheck {
  const wanted = examples * settings.epochs;
  const gap = steps.findIndex(({ step }, i) => step !== i + 1);
  if (gap >= 0) return check('steps', false, `Step ${gap + 1} is reported as step ${steps[gap]?.step}: they count from 1 without a gap.`);
  const broken = steps.find(({ loss }) => loss === null);
  if (broken) return check('steps', false, `The loss of step ${broken.step} is not a number, which ends a job as \`diverged\`.`);
  return check('steps', steps.length === wanted, `${steps.length} steps of ${wanted}: one for each example.`);
}

function firstLoss({ events }: Trial, { ours }: WholeRun): ContractCheck {
  const first = events.find((event): event is Step => (event.ev === 'step' || event.ev === 'ready') && event.loss !== undefined);
  if (!first || first.loss === null) return check('first_loss', false, 'There is no first loss to compare.');
  const figures = `Its first loss is ${first.loss.toFixed(4)}, that of the serving engine ${ours.toFixed(4)}.`;
  const fault = parityFault(ours, first.loss);
  const advice =
    'Learn the lines of train.jsonl or train.tokens.jsonl in their order, of each what `assistant` says, joined to what comes before it.';
  return check('first_loss', fault === null, fault === null ? figures : `${figures} ${advice}`);
}

function checkpoints({ events, folder }: Trial): ContractCheck {
  const all = events.filter((event): event is Checkpoint => event.ev === 'checkpoint');
  if (all.length === 0) return check('checkpoints', false, 'No checkpoint was announced; `checkpoint_steps` says how often.');
  const missing = all.flatMap(({ path, adapter }) => [path, adapter ?? path]).find((path) => !existsSync(join(folder, path)));
  if (missing !== undefined) return check('checkpoints', false, `\`${missing}\` was announced and does not exist.`);
  const bare = all.some(({ adapter }) => adapter === undefined);
  const remark = bare ? ' Without `adapter` none can be scored, so the last state becomes the adapter.' : '';
  return check('checkpoints', true, `${all.length} checkpoints, all complete.${remark}`);
}

function heldOut({ events }: Trial): ContractCheck {
  const count = events.filter(({ ev }) => ev === 'eval').length;
  return check('eval', count > 0, `Evaluations of held.jsonl: ${count}.`);
}

function onlyEvents({ lines }: Trial): ContractCheck {
  const unread = lines.findLast((line) => /^\d+ lines on file descriptor 3 were no events\.$/.test(line));
  return check('events_only', unread === undefined, unread ?? 'All lines on file descriptor 3 are events.');
}

function saved({ events, end, lines }: Trial): ContractCheck {
  const isLast = events.at(-1)?.ev === 'saved';
  if (end?.kind === 'saved') return check('saved', isLast, isLast ? 'The last event is `saved`.' : 'Events came after `saved`.');
  return check('saved', false, `It ended ${inWords(end)}${events.length === 0 ? '' : `. ${lastOf(lines)}`}`);
}

/** The end of its output, which mostly says why. */
const lastOf = (lines: readonly string[]): string =>
  lines.length === 0 ? 'It printed nothing.' : `It printed at last: ${lines.slice(-LOG_LINES).join(' | ')}`;
