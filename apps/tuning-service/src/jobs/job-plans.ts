import { Inject, Injectable } from '@nestjs/common';
import {
  type AccountId,
  type CreateJob,
  type DatasetId,
  type ErrorCode,
  isServiceError,
  type JobPlan,
  paddedTokens,
  ServiceError,
  trainingMemory,
} from '@slipway/contracts';
import type { Tx } from '@slipway/database';
import { CONFIG } from '@slipway/platform';
import type { z } from 'zod';
import type { TuningServiceConfig } from '../config.js';
import { datasetNotFound } from '../datasets/dataset-access.js';
import { type DatasetRow, DatasetsRepository } from '../datasets/datasets.repository.js';
import type { VersionRow } from '../datasets/version-rows.js';
import { VersionsRepository } from '../datasets/versions.repository.js';
import { notReady } from '../examples/version-errors.js';
import { MeasuresRepository } from '../measures/measures.repository.js';
import { hindranceOf, type KnownBase, learnsBy, refusalOf, TrainerTable, trainersOf } from '../trainers/trainer-table.js';
import { type Resolved, resolveSettings } from './resolve-settings.js';

/** Trainer of bases whose workers have none installed. */
const FIRST_TRAINER = 'embedded';
/** Fewer than there mostly are, so that the guess is too high rather than too low. */
const CHARS_PER_TOKEN = 3;

type Asked = Omit<z.output<typeof CreateJob.request>, 'idempotency_key' | 'actor'>;

/** A job as it would be made. */
export interface PlannedJob {
  readonly known: KnownBase;
  readonly dataset: DatasetRow;
  readonly version: VersionRow;
  /** The data set whose conversations must not change; null = the one that comes with the base, or none. */
  readonly keepSet: NonNullable<JobPlan['keep_set']> | null;
  readonly trainer: string;
  readonly resolved: Resolved;
  readonly isMeasured: boolean;
  /** Of the whole job, in bytes; null = unknown. */
  readonly memory: number | null;
}

/** Decides what a job would do, without making it. */
@Injectable()
export class JobPlans {
  constructor(
    private readonly datasets: DatasetsRepository,
    private readonly versions: VersionsRepository,
    private readonly measures: MeasuresRepository,
    private readonly table: TrainerTable,
    @Inject(CONFIG) private readonly config: TuningServiceConfig,
  ) {}

  #noBase(base: string): ServiceError {
    const message =
      this.table.live().length === 0
        ? 'No training worker is connected. Start one where the model file of the base is: `npm start` runs one, others are `training-worker` processes.'
        : `No connected training worker has the base ${base}.`;
    return new ServiceError('base_not_found', message, { param: 'base' });
  }

  /** @throws ServiceError `dataset_not_found`, `dataset_not_ready`, `base_not_found`, `base_not_trainable`, `invalid_request` */
  async plan(connection: Tx, asked: Asked): Promise<PlannedJob> {
    const { account, base, settings = {}, gate = {} } = asked;
    const { JOB_RANK_MAX: most } = this.config;
    if ((settings.rank ?? 0) > most)
      throw new ServiceError('invalid_request', `Jobs may train adapters up to rank ${most}.`, { param: 'settings.rank' });
    const dataset = await this.datasets.find(connection, account, asked.dataset);
    if (!dataset) throw datasetNotFound();
    const version = await this.#version(connection, dataset, asked.version);
    const known = this.table.bases().get(base);
    if (!known) throw this.#noBase(base);
    const method = dataset.kind === 'preference' ? 'dpo' : 'sft';
    const trainer = trainerFor(known, method, asked.trainer);
    const measure = await this.measures.find(connection, { account, dataset: dataset.id, version: version.number }, known.base);
    const resolved = resolveSettings({
      ...{ given: settings, trainer, base: known.base, kind: dataset.kind, examples: version.examples, duplicates: version.duplicates },
      ...{ bytes: version.bytes, measure, timeLimitS: this.config.JOB_SECONDS_MAX, split: dataset.split },
    });
    const keepSet = await this.#keepSet(connection, account, gate.keep_dataset);
    const memory = memoryOf(known, trainer, { rank: resolved.spec.rank, longest: measure?.longest ?? guessOf(version) });
    return { known, dataset, version, keepSet, trainer, resolved, isMeasured: measure !== null, memory };
  }

  /** The plan as people see it. */
  view(planned: PlannedJob): JobPlan {
    const { known, dataset, version, keepSet, trainer, resolved } = planned;
    const paces = known.workers.flatMap(({ bases }) =>
      bases.filter(({ sha256 }) => sha256 === known.base.sha256).flatMap(({ pace }) => pace ?? []),
    );
    const { learnedTokens: tokens } = resolved;
    const [slow, fast] = [Math.min(...paces), Math.max(...paces)];
    return {
      ...{ base: known.base.base, trainer, dataset: dataset.id, version: version.number, settings: resolved.settings },
      keep_set: keepSet,
      ...{ examples: resolved.learned, held_out: resolved.heldOut, left_out: resolved.leftOut, steps: resolved.steps },
      learned_tokens: tokens,
      seconds:
        paces.length === 0
          ? null
          : {
              low: Math.floor((tokens / fast) * 0.7),
              high: Math.ceil((tokens / slow) * 1.5),
              from: 'The pace at which connected workers trained this base before.',
            },
      memory_bytes: planned.memory,
      placement: placementOf(known, dataset.kind === 'preference' ? 'dpo' : 'sft'),
      warnings: [...resolved.warnings, ...memoryWarnings(planned)],
    };
  }

  async #version(connection: Tx, { id, ready }: DatasetRow, wanted: number | undefined): Promise<VersionRow> {
    const number = wanted ?? ready;
    if (number === null) throw new ServiceError('dataset_not_ready', 'This data set has no version that is ready.', { param: 'dataset' });
    const row = await this.versions.find(connection, { dataset: id, version: number });
    if (!row) throw datasetNotFound();
    if (row.state !== 'ready') throw notReady(row);
    return row;
  }

  /** @throws ServiceError that names the keep set, so that nobody looks for the fault in the data set */
  async #keepSet(connection: Tx, account: AccountId, keep: DatasetId | undefined): Promise<PlannedJob['keepSet']> {
    if (keep === undefined) return null;
    const dataset = await this.datasets.find(connection, account, keep);
    if (!dataset) throw keepFault('dataset_not_found', 'This account has no such data set.');
    if (dataset.kind === 'preference')
      throw keepFault('invalid_request', 'A keep set holds conversations; this data set holds preferences.');
    const { number } = await this.#version(connection, dataset, undefined).catch((error: unknown) => {
      throw isServiceError(error) ? keepFault(error.code, error.message) : error;
    });
    return { dataset: dataset.id, name: dataset.name, version: number };
  }
}

const keepFault = (code: ErrorCode, message: string): ServiceError =>
  new ServiceError(code, `The keep set cannot be used: ${message}`, { param: 'gate.keep_dataset' });

/** The trainer that was asked for, else one that the base has. @throws ServiceError `base_not_trainable` when none can ever do it */
function trainerFor(known: KnownBase, method: string, asked: string | undefined): string {
  const hindrance = hindranceOf(known, method);
  if (hindrance?.isForEver === true) throw new ServiceError('base_not_trainable', hindrance.detail, { param: 'base' });
  const trainer = asked ?? trainerOf(known, method);
  const refusal = refusalOf(known, trainer, method);
  if (refusal !== null) throw new ServiceError('base_not_trainable', refusal, { param: 'trainer' });
  return trainer;
}

/** The trainer of a base: an installed one, or one that a worker knows. */
const trainerOf = (known: KnownBase, method: string): string =>
  trainersOf(known, method)[0] ?? known.workers.flatMap(({ trainers }) => trainers).find(learnsBy(method))?.name ?? FIRST_TRAINER;

/** Tokens of the longest example, where none were counted. */
const guessOf = ({ statistics }: VersionRow): number => Math.ceil((statistics?.lengths.longest ?? Infinity) / CHARS_PER_TOKEN);

/** Memory of a job, by what its trainer says of itself; null = unknown. */
export function memoryOf(
  { base, workers }: KnownBase,
  trainer: string,
  { rank, longest }: { rank: number; longest: number },
): number | null {
  const facts = workers.flatMap(({ trainers }) => trainers).find(({ name, memory }) => name === trainer && memory !== undefined)?.memory;
  return facts ? trainingMemory(facts, { base, rank, tokens: paddedTokens(Math.min(longest, base.context)) }) : null;
}

function memoryWarnings({ known: { workers }, memory }: PlannedJob): JobPlan['warnings'] {
  const given = Math.max(...workers.flatMap(({ slots }) => slots.map(({ bytes }) => bytes)));
  if (memory === null || memory <= given) return [];
  const advice = 'Use a smaller base, shorter examples or a lower rank, or give a worker more (TRAINING_MEM_BYTES).';
  const message = `The job takes about ${gib(memory)} GiB of memory, and no connected worker gives trainings more than ${gib(given)} GiB. ${advice}`;
  return [{ code: 'no_memory', message }];
}

const gib = (bytes: number): string => (bytes / 2 ** 30).toFixed(2);

function placementOf(known: KnownBase, method: string): string {
  const hindrance = hindranceOf(known, method);
  if (hindrance) return hindrance.detail;
  const idle = known.workers.find(({ slots, draining }) => !draining && slots.some(({ running }) => running === null));
  return idle ? `It would start at once on ${idle.host}.` : 'It would wait for a slot.';
}
