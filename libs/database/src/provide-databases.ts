import type { Client } from 'pg';
import { createDatabase, onMaintenance } from './ensure-database.js';

/** A database, and the role that owns it and logs in to it. */
export interface OwnedDatabase {
  readonly database: string;
  readonly role: string;
  readonly password: string;
}

/** Lets the server quote: none of these statements takes parameters. */
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
 * Makes roles and databases that are missing, gives each role the password named and each database its owner, and
 * keeps all other roles out of it. What is right already stays, so it may run at every start, be cut off anywhere
 * and run again, and by several at once.
 * @param address of the server, as a user who may make roles and databases
 * @returns names of the databases that were made
 * @throws the driver's error; it holds no password, since the statements are not part of it
 */
export async function provideDatabases(address: string, databases: readonly OwnedDatabase[]): Promise<string[]> {
  return onMaintenance(address, async (client) => {
    // Passwords are in the statements: the server must not log them, not even when one of them fails.
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
