import { createAuditChain, createAuditTable, readAuditChain, type Tx } from '@slipway/database';
import { startTestPostgres, type TestPostgres } from '@slipway/testing';
import { Client } from 'pg';
import { afterAll, beforeAll } from 'vitest';
import { ChainCheck } from '../../apps/cli/src/audit/audit-chain.js';

/** SQL that writes one entry. */
export const insertEntry = (object: string): string =>
  `INSERT INTO audit.entry (account_id, action, actor, actor_name, object, facts) VALUES (3, 'key.revoke', 'user', 'ä@example.com', '${object}', '{"b":1,"a":"é"}')`;

/** A database with an audit log that had entries before it had a chain. */
export class AuditChainStage {
  database!: Client;
  #postgres!: TestPostgres;
  #url = '';
  readonly #clients: Client[] = [];

  /** Starts it before the tests of the calling file. */
  static around(): AuditChainStage {
    const stage = new AuditChainStage();
    beforeAll(() => stage.#start());
    afterAll(() => stage.#end());
    return stage;
  }

  /** One more connection, closed at the end. */
  async connect(): Promise<Client> {
    const client = new Client({ connectionString: this.#url });
    await client.connect();
    this.#clients.push(client);
    return client;
  }

  /** The fault of the chain; null = none. @param onStatement called before each statement that reads it */
  async fault(onStatement: () => void = () => undefined): Promise<string | null> {
    const query = async (text: string, values: unknown[]): Promise<unknown> => {
      onStatement();
      return (await this.database.query(text, values)).rows;
    };
    const tx = { query } as unknown as Tx;
    const check = new ChainCheck();
    for (let after = 0; ; after = check.head.seq) {
      const { entries, unsealed } = await readAuditChain(tx, after);
      for (const entry of entries) check.take(entry);
      if (entries.length === 0 || check.fault([]) !== null) return check.fault(unsealed);
    }
  }

  /** Runs statements with all triggers off, as only a superuser can. @returns the fault of the chain; the statements are rolled back */
  async tampered(...statements: string[]): Promise<string | null> {
    await this.database.query('BEGIN');
    try {
      await this.database.query(`SET LOCAL session_replication_role = replica`);
      for (const statement of statements) await this.database.query(statement);
      return await this.fault();
    } finally {
      await this.database.query('ROLLBACK');
    }
  }

  async write(entries: number): Promise<void> {
    await this.database.query(
      `INSERT INTO audit.entry (action, actor, object) SELECT 'key.create', 'ops', 'key:' || n FROM generate_series(1, ${entries}) n`,
    );
  }

  async #start(): Promise<void> {
    this.#postgres = await startTestPostgres();
    this.#url = await this.#postgres.createDatabase();
    this.database = await this.connect();
    for (const statement of createAuditTable()) await this.database.query(statement);
    // Entries of the release before the chain.
    await this.write(5);
    for (const statement of createAuditChain()) await this.database.query(statement);
  }

  async #end(): Promise<void> {
    for (const client of this.#clients) await client.end();
    await this.#postgres.stop();
  }
}
