import { Injectable } from '@nestjs/common';
import {
  type AccountId,
  type Actor,
  type DatasetId,
  type ExampleView,
  type FindVersion,
  type ReadExamples,
  type ReadIssues,
} from '@slipway/contracts';
import { AccountTransactions, AuditLog } from '@slipway/database';
import { rulesOf, unnamedIssue } from '@slipway/datasets';
import type { z } from 'zod';
import { datasetNotFound, mayRead, requireRead, type Wanted } from '../datasets/dataset-access.js';
import { DatasetsRepository } from '../datasets/datasets.repository.js';
import { versionView, type VersionRow, withoutFigures } from '../datasets/version-rows.js';
import { VersionsRepository } from '../datasets/versions.repository.js';
import { ExampleTexts, type FoundExample } from './example-texts.js';
import { notReady } from './version-errors.js';

/** Longest shown text of an example, in bytes. */
const SHOWN_BYTES = 4_096;
/** Most of a file that one call with a filter looks through. */
const SCANNED_BYTES = 8 * 1024 * 1024;
const SCANNED_RECORDS = 100_000;
const ISSUES_PAGE = 200;

type Request<C extends { request: z.ZodType }> = z.output<C['request']>;
type Reply<C extends { reply: z.ZodType }> = Promise<z.input<C['reply']>>;

/** What a read names. */
interface Asked {
  readonly account: AccountId;
  readonly dataset: DatasetId;
  readonly version: number;
  readonly actor?: Actor | undefined;
}

/** Reads versions, their issues and their examples. */
@Injectable()
export class ExamplesService {
  constructor(
    private readonly transactions: AccountTransactions,
    private readonly datasets: DatasetsRepository,
    private readonly versions: VersionsRepository,
    private readonly texts: ExampleTexts,
    private readonly audit: AuditLog,
  ) {}

  findVersion({ account, dataset, version, actor }: Request<typeof FindVersion>): Reply<typeof FindVersion> {
    return this.transactions.read(account, async (connection) => {
      const found = await this.datasets.find(connection, account, dataset);
      const row = found && (await this.versions.find(connection, { dataset, version }));
      if (!row) throw datasetNotFound();
      const totals = (await this.versions.totals(connection, dataset, [version])).get(version) ?? [];
      const view = versionView(row, totals);
      return { version: mayRead(actor, found.agent_access, 'stats') ? view : withoutFigures(view) };
    });
  }

  /** Issues, whose messages name roles, tools and keys of the file to those alone who may read its text. */
  async issues(request: Request<typeof ReadIssues>): Reply<typeof ReadIssues> {
    const { account, dataset, version, rule, after = 0, limit = ISSUES_PAGE, actor, proven_role: role } = request;
    await this.#row(request, 'stats');
    return this.transactions.read(account, async (connection) => {
      const access = (await this.datasets.find(connection, account, dataset))?.agent_access ?? 'none';
      const isNamed = role !== 'viewer' && mayRead(actor, access, 'examples');
      const page = { ...(rule !== undefined && { rule }), after, limit: limit + 1 };
      const issues = await this.versions.issues(connection, { dataset, version }, page);
      const totals = (await this.versions.totals(connection, dataset, [version])).get(version) ?? [];
      return {
        issues: issues.slice(0, limit).map((issue) => (isNamed ? issue : unnamedIssue(issue))),
        totals,
        next: issues.length > limit ? after + limit : null,
      };
    });
  }

  /** A page of examples. With a filter it looks through a bounded part of the file, and says where to go on. */
  async read(request: Request<typeof ReadExamples>): Reply<typeof ReadExamples> {
    const { account, from, limit } = request;
    const row = await this.#ready(request, 'examples');
    if (from > row.examples) return { examples: [], next: null };
    const upto = from - 1 + (isFiltered(request) ? SCANNED_RECORDS : limit);
    const examples: ExampleView[] = [];
    let last = from - 1;
    let scanned = 0;
    for (const found of await this.texts.records(row, account, from, Math.min(row.examples, upto))) {
      if (examples.length === limit || scanned > SCANNED_BYTES) break;
      last = found.n;
      const rules = rulesOf(found.record.warnings);
      if (request.rule !== undefined && !rules.includes(request.rule)) continue;
      scanned += found.end - found.record.offset;
      const text = await this.texts.text(row, account, found);
      if (isWanted(request, text)) examples.push(shown(found, text, rules));
    }
    if (request.actor?.kind === 'key') await this.#audit(request, examples.length);
    return { examples, next: last < row.examples ? last + 1 : null };
  }

  /** What an agent reads leaves the installation, so it stands in the audit log before it is answered. */
  #audit(request: Request<typeof ReadExamples>, examples: number): Promise<void> {
    const { account, dataset, version, from, actor } = request;
    return this.transactions.run(request, async (tx) => {
      const { name } = (await this.datasets.find(tx, account, dataset)) ?? {};
      const entry = { account, actor, action: 'dataset.preview_by_agent', object: `dataset:${dataset}` };
      await this.audit.record(tx, { ...entry, ...(name !== undefined && { objectName: name }), facts: { version, from, examples } });
    });
  }

  /** A ready version that the actor may read. @throws ServiceError `dataset_not_ready`, `not_permitted`, `dataset_not_found` */
  async #ready(asked: Asked, wanted: Wanted): Promise<VersionRow> {
    const row = await this.#row(asked, wanted);
    if (row.state !== 'ready' || row.canonical === null || row.line_index === null) throw notReady(row);
    return row;
  }

  #row({ account, dataset, version, actor }: Asked, wanted: Wanted): Promise<VersionRow> {
    return this.transactions.read(account, async (connection) => {
      const found = await this.datasets.find(connection, account, dataset);
      if (!found) throw datasetNotFound();
      requireRead(actor, found.agent_access, wanted);
      const row = await this.versions.find(connection, { dataset, version });
      if (!row) throw datasetNotFound();
      return row;
    });
  }
}

const isFiltered = ({ search, rule, min_chars: least }: Request<typeof ReadExamples>): boolean =>
  search !== undefined || rule !== undefined || least !== undefined;

const isWanted = ({ search, min_chars: least = 0 }: Request<typeof ReadExamples>, text: string): boolean =>
  text.length >= least && (search === undefined || text.includes(search));

function shown({ n, record }: FoundExample, text: string, rules: readonly string[]): ExampleView {
  const bytes = Buffer.from(text);
  const cut = bytes.length > SHOWN_BYTES;
  // A character that the cut divides is left out.
  const json = cut
    ? bytes
        .subarray(0, SHOWN_BYTES)
        .toString()
        .replace(/\uFFFD+$/, '')
    : text;
  return { n, line: record.line, json, cut, rules: [...rules] };
}
