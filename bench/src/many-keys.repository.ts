import { Client } from 'pg';

/** Puts keys of a hundred accounts into a database of keys-service: more than can be made one by one. Their values are not kept. */
export async function insertKeys(database: string, count: number): Promise<void> {
  const client = new Client({ connectionString: database });
  await client.connect();
  try {
    await client.query(`INSERT INTO accounts.account (slug) SELECT 'bench-' || i FROM generate_series(1, 100) AS i`);
    await client.query(
      `INSERT INTO keys.key (account_id, kind, name, mac, pepper, hint)
       SELECT 1 + i % 100, 'dep', 'key ' || i, sha256(('key ' || i)::bytea), 'p1', 'svc_dep_abcd' FROM generate_series(1, $1::integer) AS i`,
      [count],
    );
  } finally {
    await client.end();
  }
}
