// Makes the Secrets of an installation in Kubernetes, one for each role, and the configuration of its NATS nodes:
//
//   node deploy/kubernetes-secrets.mjs apply      in a pod whose service account may do so
//   node deploy/kubernetes-secrets.mjs print      as a List, for a store of secrets or `kubectl create`
//
// A Secret that exists keeps every value; what it lacks is added. Only what follows from the release and the secrets is
// written anew: the configuration of NATS, whose nodes are then restarted one by one, and the list of databases.
// Reads NAME (prefix of all names), NAMESPACE, SLIPWAY_ENV, NATS_NODES (0 = none of this installation), NATS_TLS_DIR (where
// a node sees ca.pem, nats.pem and nats.key; absent = nothing is encrypted) and API_SERVER.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { EnvironmentName } from '@slipway/contracts';
import { completeSecrets, credentialFilesOf, databaseOf, DATABASES, natsNodeConf, ROLES, variablesOf } from './secret-values.mjs';

const { NAME: name = 'slipway', NAMESPACE: namespace = 'default', NATS_NODES: nodes = '3', NATS_TLS_DIR: tlsDir } = process.env;
const env = EnvironmentName.parse(process.env.SLIPWAY_ENV || 'dev');
const server = process.env.API_SERVER || 'https://kubernetes.default.svc';
const TOKEN_FILE = process.env.TOKEN_FILE || '/var/run/secrets/kubernetes.io/serviceaccount/token';
const ROLLOUT_MS = Number(process.env.ROLLOUT_MS || 600_000);
const DIGEST = 'slipway.dev/nats-config';

/** Calls the API server. @returns the object; null where there is none */
async function call(method, path, body) {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  const response = await fetch(`${server}${path}`, {
    method,
    headers: { authorization: `Bearer ${readFileSync(TOKEN_FILE, 'utf8').trim()}`, 'content-type': type },
    body: body && JSON.stringify(body),
    signal: AbortSignal.timeout(30_000),
  });
  if (response.status === 404) return null;
  const answer = await response.json();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${answer.message}`);
  return answer;
}

const secretsPath = (secret = '') => `/api/v1/namespaces/${namespace}/secrets/${secret}`;
const encode = (text) => Buffer.from(text).toString('base64');
const dataOf = (values) => Object.fromEntries(Object.entries(values).map(([key, text]) => [key, encode(text)]));
const secretOf = (part, values) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: `${name}-${part}`, namespace, labels: { 'app.kubernetes.io/part-of': 'slipway' } },
  type: 'Opaque',
  data: dataOf(values),
});

/** Secrets whose values stay once they are made. */
const lastingSecrets = (secrets) => ROLES.map((role) => secretOf(role, lastingValuesOf(role, secrets)));
const lastingValuesOf = (role, secrets) => ({
  ...credentialFilesOf(role, secrets),
  ...variablesOf(role, secrets),
  ...(DATABASES[role] && { DATABASE_PASSWORD: databaseOf(role, env, secrets).password }),
});

/** Secrets that follow from the release and the others. */
function derivedSecrets(secrets) {
  const databases = Object.keys(DATABASES).map((one) => databaseOf(one, env, secrets));
  const members = Array.from({ length: Number(nodes) }, (_, i) => `${name}-nats-${i}`);
  const routes = members.map((member) => `${member}.${name}-nats:6222`);
  const tls = tlsDir ? { ca: `${tlsDir}/ca.pem`, cert: `${tlsDir}/nats.pem`, key: `${tlsDir}/nats.key` } : undefined;
  const confs = members.map((member) => [`${member}.conf`, natsNodeConf(member, { env, secrets, routes, tls })]);
  const list = secretOf('databases', { 'databases.json': JSON.stringify({ databases }) });
  return members.length > 0 ? [list, secretOf('nats', Object.fromEntries(confs))] : [list];
}

/** Creates a Secret, or writes those values of the one that exists for which `isWanted` says so. */
async function provide(secret, isWanted) {
  const found = await call('GET', secretsPath(secret.metadata.name));
  if (found === null) {
    await call('POST', secretsPath(), secret);
    return;
  }
  const changes = Object.entries(secret.data).filter(([key, value]) => isWanted(found.data?.[key], value));
  if (changes.length > 0) await call('PATCH', secretsPath(secret.metadata.name), { data: Object.fromEntries(changes) });
}

async function knownSecrets() {
  const found = await call('GET', secretsPath(`${name}-secrets`));
  const stored = found === null ? {} : JSON.parse(Buffer.from(found.data['secrets.json'], 'base64').toString());
  const secrets = completeSecrets(stored);
  const kept = secretOf('secrets', { 'secrets.json': JSON.stringify(secrets) });
  if (found === null) await call('POST', secretsPath(), kept);
  else if (JSON.stringify(stored) !== JSON.stringify(secrets)) await call('PATCH', secretsPath(`${name}-secrets`), { data: kept.data });
  return secrets;
}

const isRolledOut = ({ metadata, spec, status }) =>
  status?.observedGeneration >= metadata.generation && status.updatedReplicas === spec.replicas && status.readyReplicas === spec.replicas;

/** Restarts the NATS nodes, one by one, where they have another configuration, and waits for them. */
async function restartNats({ data }) {
  const path = `/apis/apps/v1/namespaces/${namespace}/statefulsets/${name}-nats`;
  const digest = createHash('sha256').update(JSON.stringify(data)).digest('hex');
  const found = await call('GET', path);
  if (found === null || found.spec.template.metadata.annotations?.[DIGEST] === digest) return;
  await call('PATCH', path, { spec: { template: { metadata: { annotations: { [DIGEST]: digest } } } } });
  const end = Date.now() + ROLLOUT_MS;
  while (!isRolledOut(await call('GET', path))) {
    if (Date.now() > end) throw new Error('the NATS nodes did not become ready with their new configuration');
    await delay(1_000);
  }
}

async function apply() {
  const secrets = await knownSecrets();
  const derived = derivedSecrets(secrets);
  await Promise.all([
    ...lastingSecrets(secrets).map((secret) => provide(secret, (stored) => stored === undefined)),
    ...derived.map((secret) => provide(secret, (stored, wanted) => stored !== wanted)),
  ]);
  const nats = derived.find(({ metadata }) => metadata.name === `${name}-nats`);
  if (nats) await restartNats(nats);
  console.log(`The Secrets ${name}-… of the environment "${env}" are there.`);
}

function print() {
  const secrets = completeSecrets({});
  const items = [secretOf('secrets', { 'secrets.json': JSON.stringify(secrets) }), ...lastingSecrets(secrets), ...derivedSecrets(secrets)];
  console.log(JSON.stringify({ apiVersion: 'v1', kind: 'List', items }, null, 2));
}

const commands = { apply, print };
const [command] = process.argv.slice(2);
if (!Object.hasOwn(commands, command ?? '')) {
  console.error('Call it as: node deploy/kubernetes-secrets.mjs apply|print');
  process.exit(2);
}
try {
  await commands[command]();
} catch (error) {
  console.error(`The Secrets could not be made: ${error.message}.`);
  process.exitCode = 1;
}
