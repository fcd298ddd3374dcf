// Makes the databases of the services and the roles that own them, or brings them up to date:
//
//   node deploy/make-databases.mjs FILE
//
// FILE, which write-secrets.mjs writes, holds the server's address with a superuser and what is wanted. ADMIN_DATABASE_URL
// takes the place of the address. Runs at every start, and may be cut off anywhere.
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { isDatabaseUnavailable, provideDatabases } from '@slipway/database';

/** A server that makes its data first, or recovers, is not there at once. */
const PATIENCE_MS = 120_000;

async function provide({ server, databases }) {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await provideDatabases(server, databases);
    } catch (error) {
      if (!isDatabaseUnavailable(error) || Date.now() > end) throw error;
      await delay(500);
    }
  }
}

/** A wrong password of the superuser, which is the one that the data was made with. */
const adviceFor = ({ code }) =>
  code === '28P01' ? ' The data was made with another password: restore deploy/secrets/secrets.json from its backup.' : '';

try {
  const wanted = JSON.parse(readFileSync(process.argv[2], 'utf8'));
  const made = await provide({ server: process.env.ADMIN_DATABASE_URL || wanted.server, databases: wanted.databases });
  const names = wanted.databases.map(({ database }) => database).join(', ');
  console.log(`The databases ${names} are there${made.length > 0 ? `; made now: ${made.join(', ')}` : ''}.`);
} catch (error) {
  console.error(`The databases could not be made: ${error.message}.${adviceFor(error)}`);
  process.exit(1);
}
