import { Injectable } from '@nestjs/common';
import type { AccountId, DatasetId, DatasetIssue, IssueTotal } from '@slipway/contracts';
import type { EntityManager } from 'typeorm';
import type { ActorColumns } from '../actor-columns.js';
import { type Reading, VERSION_COLUMNS, type VersionRow } from './version-rows.js';

/** A version to make. */
export interface NewVersion extends ActorColumns {
  readonly dataset: DatasetId;
  readonly account: AccountId;
  readonly state: 'uploading' | 'validating';
  readonly origin: VersionRow['origin'];
  readonly parent?: number | null;
  readonly reading?: Reading;
  readonly url?: string;
  readonly original?: { readonly sha256: string; readonly bytes: number };
}

interface VersionKey {
  readonly dataset: DatasetId;
  readonly version: number;
}

const INSERT = `
  INSERT INTO dataset_version (dataset_id, account, number, state, origin, parent, reading, url, original, original_bytes, actor, actor_id, actor_name)
  SELECT $1, $2, coalesce(max(number), 0) + 1, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12 FROM dataset_version WHERE dataset_id = $1
  RETURNING number`;

/** Columns that a validation writes. */
export type VersionChange = Partial<Omit<VersionRow, 'dataset_id' | 'account' | 'number' | 'created_at'>>;

const ISSUES = `
  INSERT INTO dataset_issue (dataset_id, version, n, line, path, rule, severity, message)
  SELECT $1, $2, i.n, i.line, i.path, i.rule, i.severity, i.message
  FROM jsonb_to_recordset($3) AS i (n integer, line bigint, path text, rule text, severity text, message text)
  ON CONFLICT DO NOTHING`;

const TOTALS = `
  INSERT INTO dataset_issue_total (dataset_id, version, place, rule, severity, count)
  SELECT $1, $2, t.place, t.rule, t.severity, t.count
  FROM jsonb_to_recordset($3) AS t (place integer, rule text, severity text, count integer)`;

@Injectable()
export class VersionsRepository {
  /** Makes the data set's next version. The data set's row must be locked. @returns its number */
  async insert(tx: EntityManager, version: NewVersion): Promise<number> {
    const { dataset, account, state, origin, parent = null, reading = {}, url = null, original } = version;
    const [row] = await tx.query<[{ number: number }]>(INSERT, [
      ...[dataset, account, state, origin, parent, JSON.stringify(reading), url, original?.sha256 ?? null, original?.bytes ?? 0],
      ...[version.actor, version.actor_id, version.actor_name],
    ]);
    return row.number;
  }

  async count(tx: EntityManager, dataset: DatasetId): Promise<number> {
    const [row] = await tx.query<[{ n: number }]>(`SELECT count(*)::integer AS n FROM dataset_version WHERE dataset_id = $1`, [dataset]);
    return row.n;
  }

  /** Null when the data set has no such version. */
  async find(connection: EntityManager, { dataset, version }: VersionKey): Promise<VersionRow | null> {
    const one = `SELECT ${VERSION_COLUMNS} FROM dataset_version v WHERE v.dataset_id = $1 AND v.number = $2`;
    const [row] = await connection.query<VersionRow[]>(one, [dataset, version]);
    return row ?? null;
  }

  /** The newest version that is ready; null without one. */
  async newestReady(connection: EntityManager, dataset: DatasetId): Promise<VersionRow | null> {
    const newest = `SELECT ${VERSION_COLUMNS} FROM dataset_version v WHERE v.dataset_id = $1 AND v.state = 'ready' ORDER BY v.number DESC LIMIT 1`;
    const [row] = await connection.query<VersionRow[]>(newest, [dataset]);
    return row ?? null;
  }

  /** A version that was made of the same file and is not lost; null without one. */
  async sameFile(tx: EntityManager, dataset: DatasetId, original: string, reading: Reading): Promise<number | null> {
    const same = `SELECT number FROM dataset_version WHERE dataset_id = $1 AND original = $2 AND reading = $3
      AND state IN ('ready', 'validating') ORDER BY number DESC LIMIT 1`;
    const [row] = await tx.query<{ number: number }[]>(same, [dataset, original, JSON.stringify(reading)]);
    return row?.number ?? null;
  }

  /** Versions of a data set, newest first. */
  list(connection: EntityManager, dataset: DatasetId, limit: number): Promise<VersionRow[]> {
    const all = `SELECT ${VERSION_COLUMNS} FROM dataset_version v WHERE v.dataset_id = $1 ORDER BY v.number DESC LIMIT $2`;
    return connection.query(all, [dataset, limit]);
  }

  /** Versions that are being uploaded, imported or checked, oldest first. */
  open(connection: EntityManager): Promise<VersionRow[]> {
    return connection.query(
      `SELECT ${VERSION_COLUMNS} FROM dataset_version v WHERE v.state IN ('uploading', 'validating') ORDER BY v.created_at LIMIT 1000`,
    );
  }

  /** Writes these columns of a version in one of these states; false when it is in none of them any more. */
  async change(tx: EntityManager, { dataset, version }: VersionKey, change: VersionChange, from: readonly string[]): Promise<boolean> {
    const names = Object.keys(change);
    const values = Object.values(change).map((value, i) => (isJson(names[i]) && value !== null ? JSON.stringify(value) : value));
    const set = names.map((name, i) => `${name} = $${i + 4}`).join(', ');
    const update = `UPDATE dataset_version SET ${set} WHERE dataset_id = $1 AND number = $2 AND state = ANY($3) RETURNING 1`;
    const [rows] = await tx.query<[unknown[], number]>(update, [dataset, version, from, ...values]);
    return rows.length > 0;
  }

  /** Adds issues that follow `n` stored ones; those that are stored already change nothing. */
  async addIssues(tx: EntityManager, { dataset, version }: VersionKey, n: number, issues: readonly DatasetIssue[]): Promise<void> {
    if (issues.length === 0) return;
    const rows = issues.map((issue, i) => ({ n: n + i + 1, ...issue }));
    await tx.query(ISSUES, [dataset, version, JSON.stringify(rows)]);
  }

  /** Replaces the issues by rule. */
  async setTotals(tx: EntityManager, { dataset, version }: VersionKey, totals: readonly IssueTotal[]): Promise<void> {
    await tx.query(`DELETE FROM dataset_issue_total WHERE dataset_id = $1 AND version = $2`, [dataset, version]);
    await tx.query(TOTALS, [dataset, version, JSON.stringify(totals.map((total, place) => ({ place, ...total })))]);
  }

  async clearIssues(tx: EntityManager, { dataset, version }: VersionKey): Promise<void> {
    for (const table of ['dataset_issue', 'dataset_issue_total'])
      await tx.query(`DELETE FROM ${table} WHERE dataset_id = $1 AND version = $2`, [dataset, version]);
  }

  /** Issues by rule of versions, by number; the most frequent errors first. */
  async totals(connection: EntityManager, dataset: DatasetId, versions: readonly number[]): Promise<ReadonlyMap<number, IssueTotal[]>> {
    const found = await this.totalsOf(
      connection,
      versions.map((version) => ({ dataset, version })),
    );
    return new Map(versions.map((version) => [version, found.get(`${dataset}/${version}`) ?? []]));
  }

  /** The same of versions of several data sets, by `dataset/version`. */
  async totalsOf(connection: EntityManager, versions: readonly VersionKey[]): Promise<ReadonlyMap<string, IssueTotal[]>> {
    const all = `SELECT dataset_id, version, rule, severity, count FROM dataset_issue_total
      JOIN unnest($1::integer[], $2::integer[]) AS wanted (d, v) ON d = dataset_id AND v = version ORDER BY dataset_id, version, place`;
    const parameters = [versions.map(({ dataset }) => dataset), versions.map(({ version }) => version)];
    const totals = new Map<string, IssueTotal[]>();
    for (const { dataset_id, version, ...total } of await connection.query<(IssueTotal & { dataset_id: number; version: number })[]>(
      all,
      parameters,
    )) {
      const key = `${dataset_id}/${version}`;
      totals.set(key, [...(totals.get(key) ?? []), total]);
    }
    return totals;
  }

  /** A page of issues, after `after` of those that match. */
  async issues(
    connection: EntityManager,
    { dataset, version }: VersionKey,
    { rule = null, after, limit }: { rule?: string | null; after: number; limit: number },
  ): Promise<DatasetIssue[]> {
    const page = `SELECT line::float8 AS line, path, rule, severity, message FROM dataset_issue
      WHERE dataset_id = $1 AND version = $2 AND ($3::text IS NULL OR rule = $3) ORDER BY line, n OFFSET $4 LIMIT $5`;
    return connection.query(page, [dataset, version, rule, after, limit]);
  }
}

const isJson = (name: string | undefined): boolean => name === 'statistics' || name === 'reading';
