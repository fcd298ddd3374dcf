// Makes what the composed services keep secret, and the configuration of the NATS nodes, in one folder:
//
//   node deploy/write-secrets.mjs FOLDER [VOLUME …]
//
// One folder in it for each kind of container, so that none sees the secrets of another. Secrets that
// exist stay; what is derived from them is written anew, so that the permissions of the NATS users
// follow the contracts of the running version. As root it hands everything, VOLUMEs included, to the
// users under which the containers run.
import { randomBytes } from 'node:crypto';
import { chmodSync, chownSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { EnvironmentName, SCOPED_ROLES } from '@slipway/contracts';
import { completeSeeds, renderNatsConf, roleCredentials, workerSigning } from '@slipway/platform';

/** Users in the images: ours and NATS run as `node`, PostgreSQL's as `postgres`. */
const SERVICE_UID = 1000;
const POSTGRES_UID = 999;
/** Of workers: their runners are other users, which can have nothing of this one. */
const WORKER_UID = 0;
/** The one volume of workers, and the only one that more users than its owner read: runners. */
const MODEL_CACHE = 'model-cache';

const NATS_NODES = ['nats-1', 'nats-2', 'nats-3'];
const DATABASES = { keys: 'KEYS_DATABASE_URL', deployments: 'DEPLOYMENTS_DATABASE_URL', tuning: 'TUNING_DATABASE_URL' };
const POSTGRES_SERVER = 'postgres:5432';
const CHANGED_NOWHERE = 'Written by deploy/write-secrets.mjs; changes here are lost.';

/** Agents and runners are no containers of their own: keys-service makes their users when a worker joins. */
const ROLES = SCOPED_ROLES.filter((role) => role !== 'agent' && role !== 'runner');

const password = () => randomBytes(24).toString('base64url');
const isRoot = process.getuid?.() === 0;

function give(path, uid, mode) {
  chmodSync(path, mode);
  if (isRoot) chownSync(path, uid, uid);
}

function privateFolder(path, uid = SERVICE_UID) {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  give(path, uid, 0o700);
  return path;
}

/** Replaces a file whole or not at all. */
function write(path, text, uid = SERVICE_UID) {
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, text, { mode: 0o600 });
  give(draft, uid, 0o600);
  renameSync(draft, path);
}

/** The role that owns a service's database. The first installations called it as the service; it keeps its name there. */
const databaseRole = (name, known = {}) => (name in known ? name : `slipway_${name}`);

/** The stored secrets; those that are missing are made, all at first, later those of new roles. */
function openSecrets(path) {
  let stored = {};
  try {
    stored = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    if (error.code !== 'ENOENT') throw new Error(`${path} is damaged; restore it from a backup.`, { cause: error });
  }
  const passwords = (names, known = {}) => Object.fromEntries(names.map((name) => [name, known[name] ?? password()]));
  const secrets = {
    pepper: stored.pepper ?? `p1:${randomBytes(32).toString('hex')}`,
    secret_key: stored.secret_key ?? randomBytes(32).toString('hex'),
    nats_seeds: completeSeeds(stored.nats_seeds),
    nats_route: stored.nats_route ?? password(),
    postgres: stored.postgres ?? password(),
    databases: passwords(
      Object.keys(DATABASES).map((name) => databaseRole(name, stored.databases)),
      stored.databases,
    ),
  };
  write(path, `${JSON.stringify(secrets, null, 2)}\n`);
  return secrets;
}

/** A service's database, and who owns it; see deploy/make-databases.mjs. */
function databaseOf(name, env, secrets) {
  const role = databaseRole(name, secrets.databases);
  return { database: `slipway_${env}_${name}`, role, password: secrets.databases[role] };
}

/** Variables that a role's processes read from a file, so that neither `docker inspect` nor a listing of processes shows them. */
function variablesOf(role, env, secrets) {
  const database = DATABASES[role] && databaseOf(role, env, secrets);
  return {
    ...(['keys', 'gateway'].includes(role) && { KEY_PEPPERS: secrets.pepper }),
    ...(['keys', 'deployments', 'tuning', 'gateway'].includes(role) && { SLIPWAY_SECRET_KEY: secrets.secret_key }),
    ...(database && { [DATABASES[role]]: `postgres://${database.role}:${database.password}@${POSTGRES_SERVER}/${database.database}` }),
  };
}

function writeRole(folder, role, { env, secrets }) {
  const uid = role === 'join' ? WORKER_UID : SERVICE_UID;
  privateFolder(join(folder, role), uid);
  write(join(folder, role, `${role}.creds`), roleCredentials(role, secrets.nats_seeds), uid);
  if (role === 'keys') write(join(folder, role, 'signing.json'), workerSigning(secrets.nats_seeds));
  const lines = Object.entries(variablesOf(role, env, secrets)).map(([name, value]) => `${name}=${value}\n`);
  write(join(folder, role, 'service.env'), [`# ${CHANGED_NOWHERE}\n`, ...lines].join(''), uid);
}

function writeNatsNode(folder, node, { env, secrets }) {
  privateFolder(join(folder, node));
  const conf = renderNatsConf({
    env,
    host: '0.0.0.0',
    port: 4222,
    serverName: node,
    storeDir: '/data',
    seeds: secrets.nats_seeds,
    cluster: {
      name: `slipway-${env}`,
      host: '0.0.0.0',
      port: 6222,
      routes: NATS_NODES.map((other) => `${other}:6222`),
      password: secrets.nats_route,
    },
    monitor: '127.0.0.1:8222',
  });
  write(join(folder, node, 'nats.conf'), conf);
}

/** PostgreSQL reads the superuser's password when it makes its data; `databases` has it too, and what to make. */
function writePostgres(folder, { env, secrets }) {
  const own = privateFolder(join(folder, 'postgres'), POSTGRES_UID);
  write(join(own, 'password'), secrets.postgres, POSTGRES_UID);
  // Of earlier releases: a script with passwords that nothing reads any more.
  rmSync(join(own, 'initdb.d'), { recursive: true, force: true });
  const server = `postgres://postgres:${secrets.postgres}@${POSTGRES_SERVER}/postgres`;
  const databases = Object.keys(DATABASES).map((name) => databaseOf(name, env, secrets));
  write(join(privateFolder(join(folder, 'databases')), 'databases.json'), `${JSON.stringify({ server, databases }, null, 2)}\n`);
}

const [folder, ...volumes] = process.argv.slice(2);
const env = EnvironmentName.safeParse(process.env.SLIPWAY_ENV || 'dev');
if (!folder || !env.success) {
  console.error(folder ? 'SLIPWAY_ENV must be a lower-case name of at most 16 letters, digits and hyphens.' : 'Name a folder.');
  process.exit(2);
}
try {
  privateFolder(folder);
  const known = { env: env.data, secrets: openSecrets(join(folder, 'secrets.json')) };
  for (const role of ROLES) writeRole(folder, role, known);
  for (const node of NATS_NODES) writeNatsNode(folder, node, known);
  writePostgres(folder, known);
  for (const volume of volumes) {
    if (basename(volume) === MODEL_CACHE) give(volume, WORKER_UID, 0o755);
    else give(volume, SERVICE_UID, 0o700);
  }
  console.log(`The secrets of the environment "${env.data}" are in ${folder}.`);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
