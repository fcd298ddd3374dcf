import { Client } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import type { ArchiveWriter } from './archive-writer.js';
import { type CatalogTable, PATIENT, tablesOf, TEXT_FORMAT } from './catalog.js';
import type { ArchivedDatabase, ArchivedTable, BackedUp, SecretChecks } from './manifest.js';

/** What one database is dumped with. */
export interface DumpOptions {
  readonly name: BackedUp;
  readonly url: string;
  readonly secrets: SecretChecks;
}

/** Blobs that tuning-service stores, under the names of their files in its folder or bucket. */
const BLOBS = `SELECT account || '/' || left(sha256, 2) || '/' || substr(sha256, 3, 2) || '/' || sha256
  || CASE WHEN sealed THEN '.sealed' ELSE '' END FROM blob ORDER BY account, sha256`;

/** One state of a database, which can be written while services change it. */
export class DatabaseDump {
  readonly name: BackedUp;
  readonly #client: Client;
  readonly #secrets: SecretChecks;
  #moment = '';
  #server = '';

  private constructor({ name, url, secrets }: DumpOptions) {
    this.name = name;
    this.#secrets = secrets;
    this.#client = new Client({ connectionString: url, application_name: 'slipway backup', ...PATIENT });
    // Statements reject as well.
    this.#client.on('error', () => undefined);
  }

  /** Connects, and holds on to the database's present state. @throws the driver's error */
  static async open(options: DumpOptions): Promise<DatabaseDump> {
    const dump = new DatabaseDump(options);
    await dump.#client.connect();
    try {
      await dump.#begin();
      return dump;
    } catch (error) {
      await dump.close();
      throw error;
    }
  }

  /** Writes the state. Holds one part in memory at a time. */
  async write(archive: ArchiveWriter): Promise<ArchivedDatabase> {
    const found = await tablesOf(this.#client);
    const tables: ArchivedTable[] = [];
    for (const table of found) tables.push(await this.#writeTable(archive, table));
    const has = (name: string): boolean => tables.some((table) => table.name === name);
    const blobs = has('public.blob') ? { blobs: await this.#writeBlobs(archive) } : {};
    return {
      ...{ moment: this.#moment, server: this.#server, secrets: this.#secrets, tables, ...blobs },
      migrations: has('public.migrations') ? await this.#names('SELECT name AS value FROM public.migrations ORDER BY id') : [],
      audit: has('audit.seal') ? await this.#auditHead() : null,
      sequences: await this.#sequences(),
    };
  }

  async close(): Promise<void> {
    await this.#client.end().catch(() => undefined);
  }

  async #begin(): Promise<void> {
    await this.#client.query('BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY');
    await this.#client.query(TEXT_FORMAT);
    const { rows } = await this.#client.query<{ now: Date; server: string }>(`SELECT now(), current_setting('server_version') AS server`);
    this.#moment = rows[0]?.now.toISOString() ?? '';
    this.#server = rows[0]?.server ?? '';
  }

  async #writeTable(archive: ArchiveWriter, { name, sql, columns }: CatalogTable): Promise<ArchivedTable> {
    const copy = this.#client.query(copyTo(`COPY ${sql} (${columns.join(', ')}) TO STDOUT`));
    const written = await archive.addParts(`${this.name}/${name}`, copy);
    return { name, columns: [...columns], rows: copy.rowCount, ...written };
  }

  async #writeBlobs(archive: ArchiveWriter): Promise<NonNullable<ArchivedDatabase['blobs']>> {
    const { rows } = await this.#client.query<{ count: number; bytes: number }>(
      'SELECT count(*)::integer AS count, coalesce(sum(bytes), 0)::float8 AS bytes FROM blob',
    );
    const { parts } = await archive.addParts(`${this.name}/blobs`, this.#client.query(copyTo(`COPY (${BLOBS}) TO STDOUT`)));
    return { count: rows[0]?.count ?? 0, bytes: rows[0]?.bytes ?? 0, parts };
  }

  async #auditHead(): Promise<ArchivedDatabase['audit']> {
    const newest = `SELECT seq::integer, encode(hash, 'hex') AS hash FROM audit.seal ORDER BY audit.seal.seq DESC LIMIT 1`;
    return (await this.#client.query<{ seq: number; hash: string }>(newest)).rows[0] ?? null;
  }

  /** They are not part of the state: a number may be ahead of the rows, never behind. */
  async #sequences(): Promise<ArchivedDatabase['sequences']> {
    const all = `SELECT format('%I.%I', schemaname, sequencename) AS name, last_value::text AS last FROM pg_sequences ORDER BY 1`;
    return (await this.#client.query<{ name: string; last: string | null }>(all)).rows;
  }

  async #names(statement: string): Promise<string[]> {
    return (await this.#client.query<{ value: string }>(statement)).rows.map(({ value }) => value);
  }
}
