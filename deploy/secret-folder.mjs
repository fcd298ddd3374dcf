// The folder of secrets that docker-compose.yml mounts, for the command of write-secrets.mjs.
import { chmodSync, chownSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { completeAuthorities, currentCertificate, trustedOf } from './certificates.mjs';
import { completeSecrets, credentialFilesOf, databaseOf, DATABASES, natsNodeConf, ROLES, variablesOf } from './secret-values.mjs';

/** Users in the images: ours and NATS run as `node`, PostgreSQL's as `postgres`. */
const SERVICE_UID = 1000;
const POSTGRES_UID = 999;
/** Of workers: their runners and trainers are other users, which can have nothing of this one. */
const WORKER_UID = 0;
/** Volumes of workers, which more users than their owner reach: runners read the one, trainers find the folders of their runs in the other. */
const OPEN_VOLUMES = { 'model-cache': 0o755, training: 0o711 };

const NATS_NODES = ['nats-1', 'nats-2', 'nats-3'];
const POSTGRES_SERVER = 'postgres:5432';
/** Where containers see the authorities, which every user may read: runners of workers are others. */
const AUTHORITIES = '/etc/slipway/ca.pem';
const ENCRYPTED = `sslmode=verify-full&sslrootcert=${AUTHORITIES}`;
const CHANGED_NOWHERE = 'Written by deploy/write-secrets.mjs; changes here are lost.';

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
function write(path, text, uid = SERVICE_UID, mode = 0o600) {
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, text, { mode });
  give(draft, uid, mode);
  renameSync(draft, path);
}

/** The stored secrets; those that are missing are made, all at first, later those of new roles. */
async function openSecrets(path) {
  let stored = {};
  try {
    stored = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    if (error.code !== 'ENOENT') throw new Error(`${path} is damaged; restore it from a backup.`, { cause: error });
  }
  const secrets = { ...completeSecrets(stored), authorities: await completeAuthorities(stored.authorities) };
  write(path, `${JSON.stringify(secrets, null, 2)}\n`);
  return secrets;
}

/** Variables that a role's processes read from a file, so that neither `docker inspect` nor a listing of processes shows them. */
function fileVariablesOf(role, env, secrets) {
  const database = DATABASES[role] && databaseOf(role, env, secrets);
  const address = database && `postgres://${database.role}:${database.password}@${POSTGRES_SERVER}/${database.database}?${ENCRYPTED}`;
  return { ...variablesOf(role, secrets), ...(database && { [DATABASES[role]]: address }) };
}

function writeRole(folder, role, { env, secrets }) {
  const uid = role === 'join' ? WORKER_UID : SERVICE_UID;
  privateFolder(join(folder, role), uid);
  for (const [name, text] of Object.entries(credentialFilesOf(role, secrets))) write(join(folder, role, name), text, uid);
  const lines = Object.entries(fileVariablesOf(role, env, secrets)).map(([name, value]) => `${name}=${value}\n`);
  write(join(folder, role, 'service.env'), [`# ${CHANGED_NOWHERE}\n`, ...lines].join(''), uid);
}

/** What `backup` and `restore` need: the databases, the secrets that prove which installation it is, and the user that makes streams. */
function writeBackup(folder, { env, secrets }) {
  const own = privateFolder(join(folder, 'backup'));
  for (const [name, text] of Object.entries(credentialFilesOf('boot', secrets))) write(join(own, name), text);
  const variables = Object.assign({}, ...Object.keys(DATABASES).map((role) => fileVariablesOf(role, env, secrets)));
  const lines = Object.entries(variables).map(([name, value]) => `${name}=${value}\n`);
  write(join(own, 'service.env'), [`# ${CHANGED_NOWHERE}\n`, ...lines].join(''));
}

/** The authorities' certificates, for everyone. */
function writeAuthorities(folder, { authorities }) {
  const own = join(folder, 'ca');
  mkdirSync(own, { recursive: true });
  give(own, SERVICE_UID, 0o755);
  write(join(own, 'ca.pem'), trustedOf(authorities), SERVICE_UID, 0o644);
}

function readIfThere(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return '';
    throw error;
  }
}

/** The certificate of a server into its folder, `<name>.pem` and `<name>.key`. */
async function writeCertificate(folder, name, host, { secrets, uid = SERVICE_UID }) {
  const [cert, key] = [join(folder, `${name}.pem`), join(folder, `${name}.key`)];
  const found = { cert: readIfThere(cert), key: readIfThere(key) };
  const current = await currentCertificate(found, secrets.authorities[0], { name: host, hosts: [host] });
  if (current === found) return;
  write(key, current.key, uid);
  write(cert, current.cert, uid);
}

async function writeNatsNode(folder, node, { env, secrets }) {
  privateFolder(join(folder, node));
  await writeCertificate(join(folder, node), 'nats', node, { secrets });
  const tls = { ca: AUTHORITIES, cert: '/run/slipway/nats.pem', key: '/run/slipway/nats.key' };
  const conf = natsNodeConf(node, { env, secrets, routes: NATS_NODES.map((other) => `${other}:6222`), tls });
  write(join(folder, node, 'nats.conf'), conf);
}

/** PostgreSQL reads the superuser's password when it makes its data; `databases` has it too, and what to make. */
async function writePostgres(folder, { env, secrets }) {
  const own = privateFolder(join(folder, 'postgres'), POSTGRES_UID);
  write(join(own, 'password'), secrets.postgres, POSTGRES_UID);
  await writeCertificate(own, 'postgres', 'postgres', { secrets, uid: POSTGRES_UID });
  // Of earlier releases: a script with passwords that nothing reads any more.
  rmSync(join(own, 'initdb.d'), { recursive: true, force: true });
  const server = `postgres://postgres:${secrets.postgres}@${POSTGRES_SERVER}/postgres?${ENCRYPTED}`;
  const databases = Object.keys(DATABASES).map((name) => databaseOf(name, env, secrets));
  write(join(privateFolder(join(folder, 'databases')), 'databases.json'), `${JSON.stringify({ server, databases }, null, 2)}\n`);
}

/**
 * Writes what the composed services keep secret, their certificates and the configuration of the NATS nodes. What exists and is
 * good stays; what follows from it is written anew.
 * @param {string} folder is made where it is missing
 * @param {string} env name of the environment
 * @param {string[]} [volumes] folders to hand to the users of the containers, which only root can
 * @returns {Promise<void>}
 * @throws {Error} for a damaged store of secrets, and for files that cannot be written
 */
export async function writeSecretFolder(folder, env, volumes = []) {
  privateFolder(folder);
  const known = { env, secrets: await openSecrets(join(folder, 'secrets.json')) };
  for (const role of ROLES) writeRole(folder, role, known);
  writeBackup(folder, known);
  writeAuthorities(folder, known.secrets);
  for (const node of NATS_NODES) await writeNatsNode(folder, node, known);
  await writePostgres(folder, known);
  await writeCertificate(join(folder, 'tuning'), 'blobs', 'tuning-service', known);
  for (const volume of volumes) {
    const open = OPEN_VOLUMES[basename(volume)];
    give(volume, open ? WORKER_UID : SERVICE_UID, open ?? 0o700);
  }
}
