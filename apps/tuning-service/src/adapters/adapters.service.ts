import { Injectable } from '@nestjs/common';
import {
  AnswerPair,
  type DeleteAdapter,
  type ExportAdapter,
  type FindAdapter,
  type GateCheck,
  type ListAdapters,
  type ReadAdapterAnswers,
  type RenameAdapter,
  type ReportAdapterUse,
  type ServeAdapter,
  ServiceError,
} from '@slipway/contracts';
import { AccountTransactions, AuditLog, Transactions } from '@slipway/database';
import { fitting } from '@slipway/platform';
import { z } from 'zod';
import { BlobUsesRepository } from '../blobs/blob-uses.repository.js';
import { InstallationSecrets } from '../blobs/installation-secrets.js';
import { Tickets } from '../blobs/tickets.js';
import { requireRead } from '../datasets/dataset-access.js';
import { DatasetsRepository } from '../datasets/datasets.repository.js';
import { type SuiteOutcome, wholeVerdict } from '../evaluations/gate-verdicts.js';
import { SuiteOutcomesRepository } from '../evaluations/suite-outcomes.repository.js';
import { TrainerTable } from '../trainers/trainer-table.js';
import { adapterNotFound, adapterOwner, type AdapterRow, AdaptersRepository, adapterView } from './adapters.repository.js';
import { AdapterExports } from './adapter-exports.js';

const PAGE_ROWS = 200;

type Request<C extends { request: z.ZodType }> = z.output<C['request']>;
type Reply<C extends { reply: z.ZodType }> = Promise<z.input<C['reply']>>;

/** Lists, serves, exports and deletes adapters. */
@Injectable()
export class AdaptersService {
  // oxlint-disable-next-line slipway/max-params -- an adapter has rows, blobs, sealed answers and tickets
  constructor(
    private readonly transactions: AccountTransactions,
    private readonly own: Transactions,
    private readonly adapters: AdaptersRepository,
    private readonly datasets: DatasetsRepository,
    private readonly blobs: BlobUsesRepository,
    private readonly secrets: InstallationSecrets,
    private readonly tickets: Tickets,
    private readonly exports: AdapterExports,
    private readonly table: TrainerTable,
    private readonly suites: SuiteOutcomesRepository,
    private readonly audit: AuditLog,
  ) {}

  list({ account, name, before }: Request<typeof ListAdapters>): Reply<typeof ListAdapters> {
    return this.transactions.read(account, async (connection) => {
      const rows = await this.adapters.list(connection, account, { name, before, limit: PAGE_ROWS + 1 });
      const shown = rows.slice(0, PAGE_ROWS);
      const outcomes = await this.suites.of(
        connection,
        account,
        shown.map(({ id }) => id),
      );
      const views = fitting(shown.map((row) => this.#view(row, outcomes.get(row.id) ?? [])));
      return { adapters: [...views], next: rows.length > views.length ? (views.at(-1)?.id ?? null) : null };
    });
  }

  async find(request: Request<typeof FindAdapter>): Reply<typeof FindAdapter> {
    const row = await this.#row(request);
    const outcomes = await this.transactions.read(row.account, (connection) => this.suites.of(connection, row.account, [row.id]));
    return { adapter: this.#view(row, outcomes.get(row.id) ?? []) };
  }

  async answers(request: Request<typeof ReadAdapterAnswers>): Reply<typeof ReadAdapterAnswers> {
    const row = await this.#row(request);
    const { account, dataset_id: dataset } = row;
    const found =
      dataset === null ? null : await this.transactions.read(account, (connection) => this.datasets.find(connection, account, dataset));
    requireRead(request.actor, found?.agent_access ?? 'none', 'examples');
    if (row.answers === null) return { pairs: [] };
    const pairs = z.array(AnswerPair).parse(JSON.parse(this.secrets.openText(account, row.answers)));
    return { pairs: [...fitting(pairs.toSorted((a, b) => badness(b) - badness(a)))] };
  }

  /** What a deployment needs of an adapter. One with a bad verdict is served only for a reason, which is audited. */
  async serve({ account, adapter, override, promotes = false, actor }: Request<typeof ServeAdapter>): Reply<typeof ServeAdapter> {
    return this.own.run(async (tx) => {
      const row = await this.adapters.lock(tx, account, adapter);
      if (!row) throw adapterNotFound();
      const outcomes = (await this.suites.of(tx, account, [adapter])).get(adapter) ?? [];
      const verdict = wholeVerdict(row.verdict, outcomes);
      // A suite that was not run yet keeps it from an alias alone: it is run on a deployment.
      const failed = (verdict?.checks ?? []).filter(
        ({ check, passed }) => passed === false || (promotes && check === 'suite' && passed === null),
      );
      const hasFailed = row.verdict?.passed === false || failed.length > 0;
      if (hasFailed && override === undefined) throw gateNotPassed(row, failed);
      if (hasFailed) {
        const facts = { reason: override ?? null };
        await this.audit.record(tx, {
          account,
          actor,
          action: 'adapter.override_gate',
          object: `adapter:${adapter}`,
          objectName: row.name,
          facts,
        });
      }
      await this.adapters.hold(tx, adapter);
      const { name, version, base_path, base_sha256, template_sha256, tokenizer_sha256, witness } = row;
      const hashes = { base_sha256, template_sha256, tokenizer_sha256 };
      return { adapter, name, version, sha256: row.gguf, bytes: row.gguf_bytes, base_path, ...hashes, witness };
    });
  }

  async reportUse({ account, adapter, deployments }: Request<typeof ReportAdapterUse>): Reply<typeof ReportAdapterUse> {
    if (!(await this.own.run((tx) => this.adapters.setDeployments(tx, account, adapter, deployments)))) throw adapterNotFound();
    return {};
  }

  async rename(request: Request<typeof RenameAdapter>): Reply<typeof RenameAdapter> {
    const { account, adapter, name, actor } = request;
    await this.transactions.run(request, async (tx) => {
      const row = await this.adapters.lock(tx, account, adapter);
      if (!row) throw adapterNotFound();
      if (row.name === name) return;
      if (await this.adapters.hasName(tx, account, name))
        throw new ServiceError('name_taken', `This account has an adapter named ${name}.`, { param: 'name' });
      await this.adapters.rename(tx, account, row.name, name);
      const facts = { from: row.name };
      await this.audit.record(tx, { account, actor, action: 'adapter.rename', object: `adapter:${adapter}`, objectName: name, facts });
    });
    return { adapter, name };
  }

  async delete(request: Request<typeof DeleteAdapter>): Reply<typeof DeleteAdapter> {
    const { account, adapter, actor } = request;
    await this.transactions.run(request, async (tx) => {
      const row = await this.adapters.lock(tx, account, adapter);
      if (!row) throw adapterNotFound();
      if (row.deployments.length > 0 || row.is_held === true) throw inUse(row);
      await this.adapters.delete(tx, adapter);
      await this.blobs.release(tx, account, [adapterOwner(adapter)]);
      const facts = { version: row.version };
      await this.audit.record(tx, { account, actor, action: 'adapter.delete', object: `adapter:${adapter}`, objectName: row.name, facts });
    });
    return { adapter };
  }

  async export(request: Request<typeof ExportAdapter>): Reply<typeof ExportAdapter> {
    const { account, adapter, form, actor } = request;
    const row = await this.#row(request);
    const subject = await this.exports.make(row, form);
    const facts = { form, version: row.version };
    await this.transactions.run(request, (tx) =>
      this.audit.record(tx, { account, actor, action: 'adapter.export', object: `adapter:${adapter}`, objectName: row.name, facts }),
    );
    const name = `${row.name}-v${row.version}-${form}.tar`;
    const { ticket, expiresAt } = await this.tickets.issue({ verb: 'save', account, subject, bytes: 0, name });
    return { path: `/downloads/${ticket}`, expires_at: expiresAt.toISOString(), name };
  }

  #view(row: AdapterRow, outcomes: readonly SuiteOutcome[]): ReturnType<typeof adapterView> {
    const state = this.table.stateOf({ base: row.base, sha256: row.base_sha256 });
    return { ...adapterView(row, state), verdict: wholeVerdict(row.verdict, outcomes) };
  }

  async #row({ account, adapter }: Request<typeof FindAdapter>): Promise<AdapterRow> {
    const row = await this.transactions.read(account, (connection) => this.adapters.find(connection, account, adapter));
    if (!row) throw adapterNotFound();
    return row;
  }
}

/** The worst answers first: those that repeat themselves, then those that should not have changed and did. */
const badness = ({ degenerate, keep, base, adapter, expected }: AnswerPair): number =>
  (degenerate ? 4 : 0) + (keep && base !== adapter ? 2 : 0) + (expected !== null && expected !== adapter ? 1 : 0);

const gateNotPassed = ({ name }: AdapterRow, failed: readonly GateCheck[]): ServiceError => {
  const why = failed.map(({ detail }) => detail).join(' ');
  return new ServiceError('gate_not_passed', `The adapter ${name} did not pass its gate: ${why}`.slice(0, 500), { param: 'adapter' });
};

function inUse({ deployments }: AdapterRow): ServiceError {
  const slugs = deployments.slice(0, 5).map((id) => `deployment-${id}`);
  const more = deployments.length > slugs.length ? ` and ${deployments.length - slugs.length} more` : '';
  const message =
    slugs.length === 0
      ? 'A deployment of this adapter is being made. Try again in a few seconds.'
      : `Deployments serve this adapter: ${slugs.join(', ')}${more}. Give them another model, or delete them.`;
  return new ServiceError('adapter_in_use', message, { param: 'adapter' });
}
