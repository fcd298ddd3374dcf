import { mkdir, readdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { TrainingFault } from '../training-fault.js';
import type { TrainerEvent } from '../trainers/trainer-events.js';
import type { RunSettings, Trainer, TrainerEnd, TrainerProcess } from '../trainers/trainer.js';

/** Time that a trial of a dozen short steps has, in milliseconds. */
const WITHIN_MS = 600_000;

/** What a trainer did in one run. */
export interface Trial {
  /** Folder of the run; paths of events begin here. */
  readonly folder: string;
  readonly events: readonly TrainerEvent[];
  readonly lines: readonly string[];
  /** Null = it did not end in time, and was killed. */
  readonly end: TrainerEnd | null;
  /** From the first command to the end, in milliseconds; 0 without a command. */
  readonly obeyedMs: number;
}

/** How a trial is run. */
export interface TrialOptions {
  readonly trainer: Trainer;
  /** Folder with the prepared data. */
  readonly data: string;
  /** Folder of the run; is made. */
  readonly folder: string;
  readonly settings: RunSettings;
  /** The checkpoint to continue from; becomes the folder `resume`. */
  readonly from?: string;
  /** Called with each event. */
  readonly during?: (event: TrainerEvent, process: TrainerProcess) => void;
}

/** Runs a trainer once on prepared data, as the worker does, and notes all that it does. */
export async function runTrial({ trainer, data, folder, settings, from, during }: TrialOptions): Promise<Trial> {
  await mkdir(folder, { recursive: true });
  for (const name of await readdir(data)) await symlink(join(data, name), join(folder, name));
  if (from !== undefined) await symlink(from, join(folder, 'resume'));
  const [events, lines]: [TrainerEvent[], string[]] = [[], []];
  let commandedAt = 0;
  const watchers: TrainerProcess[] = [];
  const watched = (real: TrainerProcess): TrainerProcess => ({
    pid: real.pid,
    ended: real.ended,
    kill: () => real.kill(),
    pause: () => ((commandedAt ||= performance.now()), real.pause()),
    cancel: () => ((commandedAt ||= performance.now()), real.cancel()),
  });
  const sink = {
    event: (event: TrainerEvent): void => {
      events.push(event);
      for (const process of watchers) during?.(event, process);
    },
    log: (line: string): void => void lines.push(line),
  };
  const started = await trainer.start({ folder, settings }, sink);
  watchers.push(watched(started));
  let isLate = false;
  const overdue = setTimeout(() => {
    isLate = true;
    started.kill();
  }, WITHIN_MS);
  const end = await started.ended;
  clearTimeout(overdue);
  return { folder, events, lines, end: isLate ? null : end, obeyedMs: commandedAt === 0 ? 0 : performance.now() - commandedAt };
}

/** How a run ended, for people. */
export function inWords(end: TrainerEnd | null): string {
  if (end === null) return 'by a kill after 10 minutes';
  if (end.kind !== 'failed') return `as ${end.kind}`;
  return end.fault instanceof TrainingFault ? `as failed (${end.fault.code}: ${end.fault.message})` : 'as failed';
}
