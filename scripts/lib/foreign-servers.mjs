import { connect } from 'node:net';
import { StartError } from './start-error.mjs';

const ANSWER_WITHIN_MS = 5_000;
const DATABASES = ['DATABASE_URL', 'KEYS_DATABASE_URL', 'DEPLOYMENTS_DATABASE_URL'];

function answers(host, port) {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const done = (answer) => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(ANSWER_WITHIN_MS, () => done(false));
    socket.once('connect', () => done(true));
    socket.once('error', () => done(false));
  });
}

/** The address may hold a password, so it is never shown whole. */
async function checkDatabase(name, address) {
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url?.protocol !== 'postgres:' && url?.protocol !== 'postgresql:') throw new StartError(`${name} is not a postgres:// address.`);
  const port = url.port || 5432;
  if (!(await answers(url.hostname, Number(port)))) throw new StartError(`${name}: no PostgreSQL answers at ${url.hostname}:${port}.`);
}

/**
 * Looks for the servers that the environment names in place of our own.
 * @param {NodeJS.ProcessEnv} env
 * @throws {StartError} when one does not answer, or comes without its credentials
 */
export async function checkForeignServers(env) {
  for (const name of DATABASES) {
    if (env[name]) await checkDatabase(name, env[name]);
  }
  if (env.NATS_URL && !env.NATS_CREDENTIALS_DIR) {
    throw new StartError('NATS_URL is set, so NATS_CREDENTIALS_DIR must name the folder with one credentials file per service.');
  }
}
