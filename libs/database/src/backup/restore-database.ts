import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Client } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { DataSource, MigrationExecutor, type QueryRunner } from 'typeorm';
import { type DatabaseOptions, migrationOptions } from '../data-source-options.js';
import { ensureDatabase } from '../ensure-database.js';
import { migrationNames, MIGRATIONS_LOCK } from '../pending-migrations.js';
import { ArchiveReader } from './archive-reader.js';
import { PATIENT, TEXT_FORMAT, tablesOf } from './catalog.js';
import { clearDatabase, dropForeignKeys, emptyTables, isEmpty, servicesOn, triggersOff } from './loading.js';
import type { ArchivedDatabase, ArchivedTable, BackedUp } from './manifest.js';

/** What a database is restored with. */
export interface RestoreOptions extends DatabaseOptions {
  readonly name: BackedUp;
  /** Path of the archive. */
  readonly archive: string;
  /** Whether a database that holds something is emptied before. */
  readonly replace: boolean;
}

/** What a restore did. */
export interface RestoredFacts {
  readonly tables: number;
  readonly rows: number;
  /** Migrations that the archive did not have. */
  readonly migrated: readonly string[];
}

/** A restore was refused, with the reason and what to do about it. */
export class RestoreRefusal extends Error {
  override readonly name = 'RestoreRefusal';
}

const NAME = 'slipway restore';
/** How long statements wait for what other sessions lock. */
const LOCK_TIMEOUT = '10s';

/**
 * A restored database whose transaction is still open: `commit` makes all of it real at once, everything else, the end of the
 * process included, leaves the database as it was.
 */
export class RestoredDatabase {
  #facts: RestoredFacts = { tables: 0, rows: 0, migrated: [] };

  private constructor(
    private readonly options: RestoreOptions,
    private readonly source: DataSource,
    private readonly runner: QueryRunner,
  ) {}

  get facts(): RestoredFacts {
    return this.#facts;
  }

  /** Loads the archive's part, in one transaction. @throws RestoreRefusal, ArchiveError, or the driver's error; nothing is changed then */
  static async load(options: RestoreOptions): Promise<RestoredDatabase> {
    await ensureDatabase(options.url);
    const source = new DataSource({ ...migrationOptions({ ...options, applicationName: NAME }), extra: PATIENT });
    await source.initialize();
    const restored = new RestoredDatabase(options, source, source.createQueryRunner());
    try {
      await restored.#load();
      return restored;
    } catch (error) {
      await restored.rollback();
      throw error;
    }
  }

  /** @throws RestoreRefusal when a service has connected meanwhile */
  async commit(): Promise<void> {
    try {
      await this.#requireAlone();
      await this.runner.commitTransaction();
    } catch (error) {
      await this.rollback();
      throw error;
    }
    await this.source.destroy();
  }

  async rollback(): Promise<void> {
    if (this.runner.isTransactionActive) await this.runner.rollbackTransaction().catch(() => undefined);
    await this.source.destroy();
  }

  async #load(): Promise<void> {
    const { name, archive: path, replace } = this.options;
    const reader = await ArchiveReader.open(path);
    try {
      const archived = reader.manifest.databases[name];
      if (!archived) throw new RestoreRefusal(`The archive holds no database of ${name}-service.`);
      const missing = this.#requireKnown(archived);
      const client = (await this.runner.connect()) as Client;
      await this.runner.startTransaction();
      await client.query(`SET LOCAL lock_timeout = '${LOCK_TIMEOUT}'`);
      await this.#requireAlone();
      if (!(await isEmpty(client))) {
        if (!replace)
          throw new RestoreRefusal(`The database of ${name}-service is not empty. With --replace all that it holds is replaced.`);
        await clearDatabase(client);
      }
      await this.#migrate(archived.migrations);
      await client.query(TEXT_FORMAT);
      await this.#fill(client, reader, archived);
      await this.#migrate([...archived.migrations, ...missing]);
      const rows = archived.tables.reduce((all, table) => all + table.rows, 0);
      this.#facts = { tables: archived.tables.length, rows, migrated: missing };
    } finally {
      await reader.close();
    }
  }

  /** @returns the migrations that the archive lacks */
  #requireKnown({ migrations }: ArchivedDatabase): string[] {
    const known = migrationNames(this.options);
    const unknown = migrations.filter((name) => !known.includes(name));
    if (unknown.length > 0) {
      throw new RestoreRefusal(
        `A newer release made the archive: this one does not know the ${this.options.name} migrations ${unknown.join(', ')}.`,
      );
    }
    return known.filter((name) => !migrations.includes(name));
  }

  /** A service that starts now waits for the lock of migrations until the transaction ends. */
  async #requireAlone(): Promise<void> {
    const { name, applicationName } = this.options;
    const client = (await this.runner.connect()) as Client;
    const { rows } = await client.query<{ won: boolean }>(`SELECT pg_try_advisory_xact_lock(${MIGRATIONS_LOCK}) AS won`);
    const running = await servicesOn(client, applicationName);
    if (rows[0]?.won === true && running.length === 0) return;
    const who = running.length === 0 ? 'its migrations run' : running.join(', ');
    throw new RestoreRefusal(`${name}-service is running on this database (${who}): stop all its replicas first.`);
  }

  /** Runs those of these migrations that have not run, on the transaction's connection. */
  async #migrate(names: readonly string[]): Promise<void> {
    const classes = Object.values(this.options.migrations) as (new () => { readonly name?: string })[];
    const wanted = classes.filter((Migration) => names.includes(new Migration().name ?? Migration.name));
    const options = { ...migrationOptions({ ...this.options, applicationName: NAME }), extra: PATIENT, migrations: wanted };
    const source = await new DataSource(options).initialize();
    try {
      const executor = new MigrationExecutor(source, this.runner);
      executor.transaction = 'none';
      await executor.executePendingMigrations();
    } finally {
      await source.destroy();
    }
  }

  async #fill(client: Client, reader: ArchiveReader, { tables, sequences }: ArchivedDatabase): Promise<void> {
    const present = new Map((await tablesOf(client)).map((table) => [table.name, table]));
    const strange = tables.filter(({ name }) => !present.has(name));
    if (strange.length > 0)
      throw new RestoreRefusal(`The archive holds tables that no migration makes: ${strange.map(({ name }) => name).join(', ')}.`);
    const all = [...present.values()].map(({ sql }) => sql);
    const addForeignKeys = await dropForeignKeys(client);
    const addTriggers = await triggersOff(client, all);
    await emptyTables(client, all);
    for (const table of tables) await this.#fillTable(client, reader, { ...table, sql: present.get(table.name)?.sql ?? '' });
    await addTriggers();
    await addForeignKeys();
    for (const { name, last } of sequences)
      await client.query('SELECT setval($1::regclass, coalesce($2::bigint, 1), $2 IS NOT NULL)', [name, last]);
  }

  async #fillTable(client: Client, reader: ArchiveReader, table: ArchivedTable & { readonly sql: string }): Promise<void> {
    const { name, sql, columns, parts, rows, sha256 } = table;
    const hash = createHash('sha256');
    async function* hashed(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
      for await (const part of source) {
        hash.update(part);
        yield part;
      }
    }
    const copy = client.query(copyFrom(`COPY ${sql} (${columns.join(', ')}) FROM STDIN`));
    await pipeline(Readable.from(hashed(reader.parts(`${this.options.name}/${name}`, parts))), copy);
    const { rows: counts } = await client.query<{ count: string }>(`SELECT count(*) FROM ${sql}`);
    const found = Number(counts[0]?.count);
    if (hash.digest('hex') !== sha256 || copy.rowCount !== rows || found !== rows) {
      throw new RestoreRefusal(`The table ${name} did not come out as it was written: ${found} of ${rows} rows. The archive is damaged.`);
    }
  }
}
