import type { Client } from 'pg';
import { connectionSettings } from '../settings.js';

/** A statement may take as long as it needs: one copies a whole table. A server that does not answer is noticed by TCP. */
export const PATIENT = {
  ...connectionSettings,
  connectionTimeoutMillis: 10_000,
  query_timeout: 0,
  statement_timeout: 0,
  idle_in_transaction_session_timeout: 0,
} as const;

/** Settings under which rows have the same text on every server. */
export const TEXT_FORMAT = `
  SET LOCAL DateStyle = 'ISO, YMD'; SET LOCAL IntervalStyle = 'postgres'; SET LOCAL TimeZone = 'UTC'; SET LOCAL extra_float_digits = 1;
  SET LOCAL bytea_output = 'hex'; SET LOCAL client_encoding = 'UTF8'`;

/** Schemas of a service, and what does not belong to an extension. */
export const OWN = (schema: string, object: string): string =>
  `${schema}.nspname !~ '^pg_' AND ${schema}.nspname <> 'information_schema'
   AND NOT EXISTS (SELECT FROM pg_depend x WHERE x.objid = ${object}.oid AND x.deptype = 'e')`;

/** A table as an archive names it. */
export interface CatalogTable {
  /** With its schema. */
  readonly name: string;
  /** The same, quoted for SQL. */
  readonly sql: string;
  /** Columns that are stored, quoted for SQL. */
  readonly columns: readonly string[];
}

const TABLES = `
  SELECT n.nspname || '.' || c.relname AS name, format('%I.%I', n.nspname, c.relname) AS sql,
    array_agg(quote_ident(a.attname) ORDER BY a.attnum) AS columns
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
  WHERE c.relkind = 'r' AND c.relpersistence = 'p' AND ${OWN('n', 'c')}
  GROUP BY n.nspname, c.relname ORDER BY n.nspname, c.relname`;

/** The tables of a database whose rows outlive a crash, by name. Generated columns are left out. */
export async function tablesOf(client: Pick<Client, 'query'>): Promise<CatalogTable[]> {
  return (await client.query<CatalogTable>(TABLES)).rows;
}
