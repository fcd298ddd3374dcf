import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { EngineLoadError } from '@slipway/engine';
import { FileHashes } from '@slipway/model-store';
import type { Logger } from '@slipway/platform';
import { LlamaScorer } from '../scoring.js';
import { diskFull, isDiskFull, TrainingFault } from '../training-fault.js';
import { hardestOf, scoreBase, scoringContext, withScorer } from './base-scores.js';
import { samplesOf } from './checkpoint-scores.js';
import { unpackCheckpoint } from './checkpoint-files.js';
import { finishAdapter, type FinishInput } from './finish-adapter.js';
import { prepareDataset } from './prepare-dataset.js';
import type { PreparedExample } from './prepared-example.js';
import { readKeepSet } from './read-keep-set.js';
import { keepCheckpoint, trainAdapter, type Trained, type TrainInput } from './train-adapter.js';
import { StopTraining, type TrainingJob, type TrainingOutcome, type TrainingSink } from './training-job.js';

/** Where a job reports to, and what stops it. */
export interface TrainingContext {
  readonly sink: TrainingSink;
  /** Aborted with a `StopTraining`. */
  readonly signal: AbortSignal;
  readonly log: Logger;
}

/**
 * Runs all steps of a job on this machine: installs the trainer, prepares the data set, scores the base, trains, scores the
 * checkpoints, and makes the adapter with its witness and verdict. Never rejects: a fault is an outcome.
 */
export async function runTraining(job: TrainingJob, context: TrainingContext): Promise<TrainingOutcome> {
  const { signal, log } = context;
  let scorer: LlamaScorer | undefined;
  try {
    context.sink.state('starting', 0);
    await clear(job.folder);
    await install(job, context);
    scorer = await openBase(job, context);
    return await trainWith(scorer, job, context);
  } catch (error) {
    if (signal.aborted && !(error instanceof TrainingFault)) return stopped(signal);
    if (!(error instanceof TrainingFault || error instanceof EngineLoadError)) log.error({ err: error }, 'training.failed');
    return { state: 'failed', fault: asFault(error) };
  } finally {
    await scorer?.dispose();
  }
}

async function trainWith(scorer: LlamaScorer, job: TrainingJob, { sink, signal }: TrainingContext): Promise<TrainingOutcome> {
  const run = join(job.folder, 'run');
  const { takesWeights } = job.trainer;
  const { texts, trainedContext } = scorer;
  const chooseFirst = (candidates: readonly PreparedExample[]): Promise<number> =>
    withScorer(scorer, null, scoringContext(0, candidates), (scoring) => hardestOf(scoring, candidates, signal));
  const data = {
    dataset: job.dataset,
    folder: run,
    texts,
    context: trainedContext,
    settings: job.settings,
    takesWeights,
    input: job.trainer.input ?? 'text',
    chooseFirst,
    signal,
  };
  const prepared = await prepareDataset(data);
  const leftOut = Object.fromEntries([...prepared.leftOut].map(([why, count]) => [`left_out_${why}`, count]));
  const figures = { examples: prepared.examples, held: prepared.held.length, learned_tokens: prepared.learnedTokens, ...leftOut };
  sink.event({ level: 'info', code: 'prepared', message: `${prepared.examples} examples are ready to be learned.`, data: figures });
  sink.state('starting', 0.5);
  const kept = job.keepSet === null ? null : await readKeepSet(job.keepSet, scorer);
  const { first, held } = prepared;
  const size = scoringContext(prepared.longest, [...first, ...held, ...(kept ?? [])]);
  const base = await withScorer(scorer, null, size, (scoring) => scoreBase(scoring, prepared, { ...job.settings, signal }));
  sink.samples(samplesOf(0, base.shown, base.shownAnswers));
  const input: TrainInput = { job, run, prepared, scorer, context: size, base, sink, signal };
  if (job.resume) await unpackCheckpoint(job.resume, join(run, 'resume'));
  const trained = job.keepOnly && job.resume ? await keepCheckpoint(input, job.resume) : await trainAdapter(input);
  return finishTraining(trained, { job, scorer, context: size, base, first, held, kept, sink }, signal);
}

/** Makes the adapter of what was trained, where there shall be one. */
async function finishTraining(
  { end, best }: Trained,
  input: Omit<FinishInput, 'best' | 'signal'>,
  signal: AbortSignal,
): Promise<TrainingOutcome> {
  if (end === 'paused') return { state: 'paused' };
  const isDropped = end === 'cancelled' && !isKept(signal) && input.job.keepOnly !== true;
  if (isDropped || (end === 'cancelled' && !best)) return { state: 'cancelled', adapter: null };
  if (!best) throw new TrainingFault('trainer_failed', 'The trainer saved nothing that can be served.');
  // A pause that comes when the training is over is too late; a cancel is not.
  const finishing = end === 'cancelled' ? new AbortController().signal : onlyCancel(signal);
  const adapter = await finishAdapter({ ...input, best, signal: finishing });
  return end === 'cancelled' ? { state: 'cancelled', adapter } : { state: 'succeeded', adapter };
}

const isKept = ({ reason }: AbortSignal): boolean => reason instanceof StopTraining && reason.how === 'keep';

function onlyCancel(signal: AbortSignal): AbortSignal {
  const cancelled = new AbortController();
  const check = (): void => {
    const { reason } = signal as { reason: unknown };
    if (!(reason instanceof StopTraining) || reason.how === 'cancel') cancelled.abort(reason);
  };
  if (signal.aborted) check();
  else signal.addEventListener('abort', check, { once: true });
  return cancelled.signal;
}

function stopped({ reason }: AbortSignal): TrainingOutcome {
  const paused = reason instanceof StopTraining && reason.how === 'pause';
  return paused ? { state: 'paused' } : { state: 'cancelled', adapter: null };
}

async function clear(folder: string): Promise<void> {
  for (const name of ['run', 'adapter', 'packed', 'converted']) await rm(join(folder, name), { recursive: true, force: true });
  await mkdir(join(folder, 'run'), { recursive: true });
}

async function install({ trainer, keepOnly = false }: TrainingJob, { sink, signal }: TrainingContext): Promise<void> {
  if (keepOnly || (await trainer.probe()).installed) return;
  sink.event({ level: 'info', code: 'installing', message: `The trainer ${trainer.name} is being installed.`, data: {} });
  await trainer.install(signal);
}

/** @throws TrainingFault when the base is not the one that the job was made for, or not one that the trainer knows */
async function openBase({ base, trainer, threads, hashFolder }: TrainingJob, { signal, log }: TrainingContext): Promise<LlamaScorer> {
  const { sha256 } = await new FileHashes(hashFolder).of(base.path).catch((cause: unknown) => {
    throw new TrainingFault('base_changed', 'The file of the base is gone.', {}, { cause });
  });
  if (sha256 !== base.sha256) throw new TrainingFault('base_changed', 'The file of the base was changed since the job was made.');
  const scorer = await LlamaScorer.open({ path: base.path, threads, log, signal });
  const { architecture, hashes } = scorer.texts;
  const { architectures } = await trainer.probe();
  const refusal = !architectures.includes(architecture)
    ? new TrainingFault('base_not_trainable', `The trainer ${trainer.name} does not train the architecture "${architecture}".`)
    : hashes.templateSha256 !== base.templateSha256 && new TrainingFault('base_changed', 'The chat template of the base was changed.');
  if (!refusal) return scorer;
  await scorer.dispose();
  throw refusal;
}

function asFault(error: unknown): TrainingFault {
  if (error instanceof TrainingFault) return error;
  if (isDiskFull(error)) return diskFull(error);
  if (error instanceof EngineLoadError) {
    const known = error.reason === 'out_of_memory' ? 'out_of_memory' : 'base_not_trainable';
    return new TrainingFault(known, error.message, {}, { cause: error });
  }
  return new TrainingFault('trainer_failed', 'The training failed on the worker; its log says why.', {}, { cause: error });
}
