import { Injectable } from '@nestjs/common';
import {
  type AccountId,
  type CreateSuite,
  type DeleteSuite,
  type FindSuite,
  type ListSuites,
  ServiceError,
  type SetSuiteGate,
  type SuiteId,
} from '@slipway/contracts';
import { AccountTransactions, AuditLog, isUniqueViolation, type Tx } from '@slipway/database';
import { fitting } from '@slipway/platform';
import type { z } from 'zod';
import { actorColumns } from '../actor-columns.js';
import { CreationsRepository } from '../creations.repository.js';
import { datasetNotFound, mayRead } from '../datasets/dataset-access.js';
import { DatasetsRepository } from '../datasets/datasets.repository.js';
import { VersionsRepository } from '../datasets/versions.repository.js';
import { notReady } from '../examples/version-errors.js';
import { type EvaluationRow, type SuiteRow, suiteView } from './evaluation-rows.js';
import { Grading } from './grading.js';
import { SuitesRepository } from './suites.repository.js';

const PAGE_ROWS = 200;
/** Suites of one account, at most. */
const SUITES_MAX = 200;
/** Suites that gate one adapter, at most: its verdict has room for no more. */
const GATES_MAX = 8;
const SAMPLE = 100;

type Request<C extends { request: z.ZodType }> = z.output<C['request']>;
type Reply<C extends { reply: z.ZodType }> = Promise<z.input<C['reply']>>;
/** Who reads, as far as it decides what is shown. */
type Reader = Pick<Request<typeof FindSuite>, 'actor' | 'proven_role'>;

/** Whether a reader may see what a data set says: members, and agents where its owner allowed it. */
export const readsText = (
  { actor, proven_role: role }: Reader,
  { agent_access: access }: Pick<SuiteRow | EvaluationRow, 'agent_access'>,
): boolean => role !== 'viewer' && mayRead(actor, access ?? 'none', 'examples');

/** Makes, lists and deletes suites, and decides which adapters must pass them. */
@Injectable()
export class SuitesService {
  // oxlint-disable-next-line slipway/max-params -- a suite is made of a version, checked, stored and audited
  constructor(
    private readonly transactions: AccountTransactions,
    private readonly suites: SuitesRepository,
    private readonly datasets: DatasetsRepository,
    private readonly versions: VersionsRepository,
    private readonly creations: CreationsRepository,
    private readonly grading: Grading,
    private readonly audit: AuditLog,
  ) {}

  async create(request: Request<typeof CreateSuite>): Reply<typeof CreateSuite> {
    const { account, name, graders, idempotency_key: key } = request;
    await this.grading.require(graders);
    try {
      const suite = await this.transactions.run(request, (tx) =>
        this.creations.once(tx, { account, ...(key !== undefined && { key }) }, 'suite', () => this.#insert(tx, request)),
      );
      return { suite };
    } catch (error) {
      if (isUniqueViolation(error)) throw new ServiceError('name_taken', `This account has a suite named ${name}.`, { param: 'name' });
      throw error;
    }
  }

  async #insert(tx: Tx, request: Request<typeof CreateSuite>): Promise<SuiteId> {
    const { account, name, dataset: named, version: wanted, sample = SAMPLE, seed = 1, graders, actor } = request;
    const dataset = await this.datasets.find(tx, account, named);
    if (!dataset) throw datasetNotFound();
    const version = wanted ?? dataset.ready;
    const row = version === null ? null : await this.versions.find(tx, { dataset: dataset.id, version });
    if (version !== null && !row) throw datasetNotFound();
    if (row?.state !== 'ready') throw row ? notReady(row) : noneReady(dataset.name);
    if ((await this.suites.count(tx, account)).all >= SUITES_MAX) throw tooMany(`${SUITES_MAX} suites`);
    const asked = { dataset_id: dataset.id, version: row.number, sample: Math.min(sample, Math.max(1, row.examples)), seed };
    const suite = await this.suites.insert(tx, { account, name, ...asked, graders, ...actorColumns(actor) });
    const facts = { dataset: dataset.name, version: row.number, graders: graders.map(({ kind }) => kind).join(' ') };
    await this.audit.record(tx, { account, actor, action: 'suite.create', object: `suite:${suite}`, objectName: name, facts });
    return suite;
  }

  list(request: Request<typeof ListSuites>): Reply<typeof ListSuites> {
    const { account, after = null } = request;
    return this.transactions.read(account, async (connection) => {
      const rows = await this.suites.list(connection, account, { after, limit: PAGE_ROWS + 1 });
      const views = fitting(rows.slice(0, PAGE_ROWS).map((row) => suiteView(row, readsText(request, row))));
      return { suites: [...views], next: rows.length > views.length ? (views.at(-1)?.name ?? null) : null };
    });
  }

  find(request: Request<typeof FindSuite>): Reply<typeof FindSuite> {
    const { account, suite } = request;
    return this.transactions.read(account, async (connection) => {
      const row = await this.suites.find(connection, account, suite);
      if (!row) throw suiteNotFound();
      return { suite: suiteView(row, readsText(request, row)) };
    });
  }

  async setGate(request: Request<typeof SetSuiteGate>): Reply<typeof SetSuiteGate> {
    const { account, suite, gate, actor } = request;
    await this.transactions.run(request, async (tx) => {
      const row = await this.#lock(tx, account, suite);
      const others = gate === null ? 0 : (await this.suites.count(tx, account, gate.adapter)).gates;
      if (gate !== null && gate.adapter !== row.gate_adapter && others >= GATES_MAX)
        throw tooMany(`${GATES_MAX} suites as gates of one adapter`);
      await this.suites.setGate(tx, suite, gate);
      const facts = { adapter: gate?.adapter ?? null, points: gate?.points ?? null, former: row.gate_adapter };
      await this.audit.record(tx, { account, actor, action: 'suite.gate', object: `suite:${suite}`, objectName: row.name, facts });
    });
    return { suite, gate };
  }

  async delete(request: Request<typeof DeleteSuite>): Reply<typeof DeleteSuite> {
    const { account, suite, actor, proven_role: role } = request;
    await this.transactions.run(request, async (tx) => {
      const row = await this.#lock(tx, account, suite);
      if (row.gate_adapter !== null && role !== 'owner') throw isGate(row);
      await this.suites.delete(tx, suite);
      const facts = { gate: row.gate_adapter };
      await this.audit.record(tx, { account, actor, action: 'suite.delete', object: `suite:${suite}`, objectName: row.name, facts });
    });
    return { suite };
  }

  async #lock(tx: Tx, account: AccountId, suite: SuiteId): Promise<SuiteRow> {
    const row = await this.suites.lock(tx, account, suite);
    if (!row) throw suiteNotFound();
    return row;
  }
}

/** The error for a suite that does not exist or belongs to another account; callers cannot tell which. */
export const suiteNotFound = (): ServiceError => new ServiceError('suite_not_found', 'This account has no such suite.', { param: 'suite' });

/** The refusal of more than an account may have. */
export const tooMany = (what: string): ServiceError =>
  new ServiceError('quota_exceeded', `An account has at most ${what}. Delete some that are not needed any more.`);

const noneReady = (name: string): ServiceError =>
  new ServiceError('dataset_not_ready', `The data set ${name} has no version that is ready.`, { param: 'dataset' });

const isGate = ({ gate_adapter: adapter }: SuiteRow): ServiceError =>
  new ServiceError('not_permitted', `Only an owner of the account may delete this suite: it is a gate of the adapter ${adapter}.`, {
    param: 'suite',
  });
