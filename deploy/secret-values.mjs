// What an installation keeps secret, and what is derived from it, for the tools that write it: write-secrets.mjs into a
// folder, kubernetes-secrets.mjs into a cluster.
import { randomBytes } from 'node:crypto';
import { SCOPED_ROLES } from '@slipway/contracts';
import { completeSeeds, renderNatsConf, roleCredentials, workerSigning } from '@slipway/platform';

/** Services with a database, and the variable that names it. */
export const DATABASES = { keys: 'KEYS_DATABASE_URL', deployments: 'DEPLOYMENTS_DATABASE_URL', tuning: 'TUNING_DATABASE_URL' };

/** Agents and runners are no containers of their own: keys-service makes their users when a worker joins. */
export const ROLES = SCOPED_ROLES.filter((role) => role !== 'agent' && role !== 'runner');

const password = () => randomBytes(24).toString('base64url');

/** The role that owns a service's database. The first installations called it as the service; it keeps its name there. */
const databaseRole = (name, known = {}) => (name in known ? name : `slipway_${name}`);

/** The stored secrets; those that are missing are made, all at first, later those of new roles. */
export function completeSecrets(stored) {
  const known = stored.databases;
  const roles = Object.keys(DATABASES).map((name) => databaseRole(name, known));
  return {
    pepper: stored.pepper ?? `p1:${randomBytes(32).toString('hex')}`,
    secret_key: stored.secret_key ?? randomBytes(32).toString('hex'),
    nats_seeds: completeSeeds(stored.nats_seeds),
    nats_route: stored.nats_route ?? password(),
    postgres: stored.postgres ?? password(),
    databases: Object.fromEntries(roles.map((role) => [role, known?.[role] ?? password()])),
  };
}

/** A service's database, and who owns it; see make-databases.mjs. */
export function databaseOf(name, env, secrets) {
  const role = databaseRole(name, secrets.databases);
  return { database: `slipway_${env}_${name}`, role, password: secrets.databases[role] };
}

/** Secret variables of a role's processes, but for the address of its database. */
export function variablesOf(role, secrets) {
  return {
    ...(['keys', 'gateway'].includes(role) && { KEY_PEPPERS: secrets.pepper }),
    ...(['keys', 'deployments', 'tuning', 'gateway'].includes(role) && { SLIPWAY_SECRET_KEY: secrets.secret_key }),
  };
}

/** Files that a role's processes expect in NATS_CREDENTIALS_DIR, by name. */
export function credentialFilesOf(role, secrets) {
  return {
    [`${role}.creds`]: roleCredentials(role, secrets.nats_seeds),
    ...(role === 'keys' && { 'signing.json': workerSigning(secrets.nats_seeds) }),
  };
}

/**
 * Configuration of one node of a NATS cluster. Its monitor listens on loopback alone.
 * @param routes `host:port` of every node
 * @param tls files of its certificate, as the node sees them; absent = nothing is encrypted
 */
export function natsNodeConf(serverName, { env, secrets, routes, tls }) {
  return renderNatsConf({
    env,
    host: '0.0.0.0',
    port: 4222,
    serverName,
    storeDir: '/data',
    seeds: secrets.nats_seeds,
    cluster: { name: `slipway-${env}`, host: '0.0.0.0', port: 6222, routes, password: secrets.nats_route },
    monitor: '127.0.0.1:8222',
    tls,
  });
}
