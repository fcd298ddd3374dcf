import { Injectable } from '@nestjs/common';
import type { RefusedUsage } from '@slipway/contracts';
import type { Tx } from '@slipway/database';
import type { Entry } from './entry.js';
import type { DayChange, LatencyChange, MinuteChange } from './roll-up.js';

interface RequestRow {
  readonly st: string;
  readonly account: number;
  readonly key: number;
  readonly deployment: number;
  readonly rev: number;
  readonly alias: string;
  readonly api: string;
  readonly streamed: boolean;
  readonly started: Date;
  readonly ttft_ms: string | null;
  readonly ms: string;
  readonly prompt: string;
  readonly cached: string;
  readonly completion: string;
  readonly status: string;
  readonly source: 'gateway' | 'worker' | null;
  readonly final: boolean;
  readonly estimated: boolean;
  readonly finish: string;
}

/** `known` is null for a request that was not counted before. */
interface LockedRequest {
  readonly st: string;
  readonly known: Entry | null;
}

function lockedOf({ started, ttft_ms: ttftMs, source, ...row }: RequestRow): LockedRequest {
  if (source === null) return { st: row.st, known: null };
  const figures = { ms: Number(row.ms), prompt: Number(row.prompt), cached: Number(row.cached), completion: Number(row.completion) };
  const known = { ...row, ...figures, source, started: started.getTime(), ttftMs: ttftMs === null ? null : Number(ttftMs) };
  return { st: row.st, known };
}

const COLUMNS = `st, account_id AS account, key_id AS key, deployment_id AS deployment, rev, alias, api, streamed,
  started_at AS started, ttft_ms, ms, prompt, cached, completion, status, source, final, estimated, finish`;
const INPUT = `jsonb_to_recordset($1::jsonb) AS r(st text, account integer, key integer, deployment integer, rev integer,
  alias text, api text, streamed boolean, started bigint, "ttftMs" bigint, ms bigint, prompt bigint, cached bigint,
  completion bigint, status text, source text, final boolean, estimated boolean, finish text)`;
const AT = `to_timestamp(r.started / 1000.0)`;
/** The largest sum that a reply can hold. */
const SUM_MAX = Number.MAX_SAFE_INTEGER;
/** A sum after a change. It stays between 0 and the largest sum, so that an overflow by one request does not fail the whole batch. */
const added = (table: string, column: string): string =>
  `${column} = greatest(0, least(${table}.${column}::numeric + EXCLUDED.${column}, ${SUM_MAX}))`;

/** Rows of the ledger. Every statement locks its rows in the same order, so that replicas cannot deadlock. */
@Injectable()
export class LedgerRepository {
  /** Inserts the requests that have no row yet. @returns the ids of those */
  async insertNew(tx: Tx, entries: readonly Entry[]): Promise<ReadonlySet<string>> {
    const rows: { st: string }[] = await tx.query(
      `INSERT INTO usage.request (st, account_id, key_id, deployment_id, rev, alias, api, streamed, started_at, ttft_ms, ms,
         prompt, cached, completion, status, source, final, estimated, finish)
       SELECT st, account, key, deployment, rev, alias, api, streamed, ${AT}, r."ttftMs", r.ms, r.prompt, r.cached, r.completion,
         r.status, r.source, r.final, r.estimated, r.finish FROM ${INPUT} ORDER BY st
       ON CONFLICT (st) DO NOTHING RETURNING st`,
      [JSON.stringify(entries)],
    );
    return new Set(rows.map(({ st }) => st));
  }

  /** Locks the rows of these requests until the transaction ends. @returns them as they are; null = not counted before */
  async lock(tx: Tx, names: readonly string[]): Promise<Map<string, Entry | null>> {
    const rows: RequestRow[] = await tx.query(`SELECT ${COLUMNS} FROM usage.request WHERE st = ANY($1) ORDER BY st FOR UPDATE`, [names]);
    return new Map(rows.map(lockedOf).map(({ st, known }) => [st, known]));
  }

  /** Updates rows that `lock` returned. */
  async update(tx: Tx, entries: readonly Entry[]): Promise<void> {
    await tx.query(
      `UPDATE usage.request q SET alias = r.alias, streamed = r.streamed, started_at = ${AT}, ttft_ms = r."ttftMs", ms = r.ms,
         prompt = r.prompt, cached = r.cached, completion = r.completion, status = r.status, source = r.source, final = r.final,
         estimated = r.estimated, finish = r.finish
       FROM ${INPUT} WHERE q.st = r.st`,
      [JSON.stringify(entries)],
    );
  }

  async addToMinutes(tx: Tx, changes: readonly MinuteChange[]): Promise<void> {
    await tx.query(
      `INSERT INTO usage.minute AS m (account_id, minute, key_id, deployment_id, alias, api, status, requests, prompt, cached, completion, cut)
       SELECT account, to_timestamp(r.minute / 1000), key, deployment, alias, api, status, requests, prompt, cached, completion, cut
       FROM jsonb_to_recordset($1::jsonb) AS r(account integer, minute bigint, key integer, deployment integer, alias text, api text,
         status text, requests bigint, prompt bigint, cached bigint, completion bigint, cut bigint)
       ORDER BY account, r.minute, key, deployment, alias, api, status
       ON CONFLICT (account_id, minute, key_id, deployment_id, alias, api, status) DO UPDATE SET
         ${['requests', 'prompt', 'cached', 'completion', 'cut'].map((column) => added('m', column)).join(', ')}`,
      [JSON.stringify(changes)],
    );
  }

  async addToLatencies(tx: Tx, changes: readonly LatencyChange[]): Promise<void> {
    await tx.query(
      `INSERT INTO usage.latency AS l (account_id, minute, key_id, deployment_id, alias, api, figure, bucket, requests)
       SELECT account, to_timestamp(r.minute / 1000), key, deployment, alias, api, figure, bucket, requests
       FROM jsonb_to_recordset($1::jsonb) AS r(account integer, minute bigint, key integer, deployment integer, alias text, api text,
         figure text, bucket smallint, requests bigint)
       ORDER BY account, r.minute, key, deployment, alias, api, figure, bucket
       ON CONFLICT (account_id, minute, key_id, deployment_id, alias, api, figure, bucket)
         DO UPDATE SET ${added('l', 'requests')}`,
      [JSON.stringify(changes)],
    );
  }

  async addToDays(tx: Tx, changes: readonly DayChange[]): Promise<void> {
    await tx.query(
      `INSERT INTO usage.day AS d (account_id, key_id, day, requests, tokens)
       SELECT account, key, (to_timestamp(r.day / 1000) AT TIME ZONE 'UTC')::date, requests, tokens
       FROM jsonb_to_recordset($1::jsonb) AS r(account integer, key integer, day bigint, requests bigint, tokens bigint)
       ORDER BY account, key, r.day
       ON CONFLICT (account_id, key_id, day) DO UPDATE SET ${added('d', 'requests')}, ${added('d', 'tokens')}`,
      [JSON.stringify(changes)],
    );
  }

  /** Stores when keys were last used. @param uses key number → milliseconds since 1970 */
  async recordLastUse(tx: Tx, uses: ReadonlyMap<number, number>): Promise<void> {
    await tx.query(
      `INSERT INTO usage.last_used AS l (key_id, at)
       SELECT key, to_timestamp(r.at / 1000.0) FROM jsonb_to_recordset($1::jsonb) AS r(key integer, at bigint) ORDER BY key
       ON CONFLICT (key_id) DO UPDATE SET at = greatest(l.at, EXCLUDED.at)`,
      [JSON.stringify([...uses].map(([key, at]) => ({ key, at })))],
    );
  }

  /** Deletes requests that began more than `days` ago; their sums stay. @returns how many, `limit` at most */
  async prune(tx: Tx, days: number, limit: number): Promise<number> {
    const rows: unknown[] = await tx
      .query(
        `WITH old AS (SELECT st FROM usage.request WHERE started_at < now() - make_interval(days => $1) ORDER BY started_at LIMIT $2
         FOR UPDATE SKIP LOCKED)
       DELETE FROM usage.request q USING old WHERE q.st = old.st RETURNING q.st`,
        [days, limit],
      )
      .then(returned);
    return rows.length;
  }

  /** Stores the ids of counts of refused requests. @returns the counts whose ids are new, each once */
  async insertRefusals(tx: Tx, counts: readonly RefusedUsage[]): Promise<RefusedUsage[]> {
    const rows: { id: string }[] = await tx.query(
      `INSERT INTO usage.refusal (id, told_at)
       SELECT r.id, to_timestamp(max(r.started) / 1000.0) FROM unnest($1::text[], $2::bigint[]) AS r(id, started)
       GROUP BY r.id ORDER BY r.id ON CONFLICT (id) DO NOTHING RETURNING id`,
      [counts.map(({ id }) => id), counts.map(({ started }) => started)],
    );
    const fresh = new Set(rows.map(({ id }) => id));
    return counts.filter(({ id }) => fresh.delete(id));
  }

  /** Deletes ids of counts that are more than `days` old: no message is delivered again that late. */
  async pruneRefusals(tx: Tx, days: number): Promise<void> {
    await tx.query(`DELETE FROM usage.refusal WHERE told_at < now() - make_interval(days => $1)`, [days]);
  }
}

/** The driver returns a DELETE's rows together with their number. */
const returned = (result: unknown): unknown[] =>
  Array.isArray(result) && Array.isArray(result[0]) ? (result[0] as unknown[]) : (result as unknown[]);
