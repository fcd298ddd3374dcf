import type { Client } from 'pg';
import { createDatabase, onMaintenance } from './ensure-database.js';

/** A database, and the role that owns it and logs in to it. */
export interface OwnedDatabase {
  readonly database: string;
  readonly role: string;
  readonly password: string;
}

/** Lets the server quote values, because these statements take no parameters. */
async function execute(client: Client, template: string, values: readonly string[]): Promise<void> {
  const marks = values.map((_, i) => `$${i + 2}::text`).join(', ');
  const { rows } = await client.query<{ statement: string }>(`SELECT format($1::text, ${marks}) AS statement`, [template, ...values]);
  await client.query(rows[0]?.statement ?? '');
}

async function provideRole(client: Client, { role, password }: OwnedDatabase): Promise<void> {
  const { rowCount } = await client.query('SELECT FROM pg_roles WHERE rolname = $1', [role]);
  if (rowCount === 0) await execute(client, 'CREATE ROLE %I', [role]);
  await execute(client, 'ALTER ROLE %I LOGIN PASSWORD %L', [role, password]);
}

/**
 * Creates missing roles and databases, sets the given passwords and owners, and revokes the access of all other roles. It is
 * idempotent: it may run at every start, be interrupted, and run concurrently.
 * @param address of the server, with a user that may create roles and databases
 * @returns names of the created databases
 * @throws the driver's error without the statement, so without passwords
 */
export async function provideDatabases(address: string, databases: readonly OwnedDatabase[]): Promise<string[]> {
  return onMaintenance(address, async (client) => {
    // The statements contain passwords: the server must not log them, even when they fail.
    await client.query(`SET log_statement = 'none'; SET log_min_error_statement = 'panic'; SET log_min_duration_statement = -1`);
    const made: string[] = [];
    for (const one of databases) {
      await provideRole(client, one);
      if (await createDatabase(client, one.database)) made.push(one.database);
      await execute(client, 'ALTER DATABASE %I OWNER TO %I', [one.database, one.role]);
      await execute(client, 'REVOKE ALL ON DATABASE %I FROM PUBLIC', [one.database]);
    }
    return made;
  });
}
