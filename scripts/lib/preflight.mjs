import { accessSync, closeSync, constants, mkdirSync, openSync, readSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname } from 'node:path';
import { portProblem } from './ports.mjs';
import { StartError } from './start-error.mjs';

const PROBE_MS = 5_000;
const GGUF = 'GGUF';

/**
 * Creates the data directory.
 * @throws {StartError} when this user cannot write it
 */
export function openDataDir(dataDir) {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new StartError(`The data directory ${dataDir} cannot be written (${error.code}); name another with --data-dir.`, {
      cause: error,
    });
  }
}

async function checkPort(host, port) {
  const problem = await portProblem(host, port);
  if (problem === 'EADDRINUSE') throw new StartError(`Port ${port} is taken; choose another with --port.`);
  if (problem === 'EACCES') throw new StartError(`This user may not listen on port ${port}; choose another with --port.`);
  if (problem) throw new StartError(`Nothing can listen on ${host}:${port} (${problem}).`);
}

function readMagic(path) {
  const file = openSync(path, 'r');
  try {
    const head = Buffer.alloc(GGUF.length);
    readSync(file, head, 0, GGUF.length, 0);
    return head.toString('latin1');
  } finally {
    closeSync(file);
  }
}

function checkModelFile(path) {
  let magic = '';
  try {
    if (!statSync(path).isFile()) throw new StartError(`The model ${path} is not a file.`);
    magic = readMagic(path);
  } catch (error) {
    if (error instanceof StartError) throw error;
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') throw new StartError(`There is no model file ${path}.`, { cause: error });
    throw new StartError(`The model file ${path} cannot be read (${error.code}).`, { cause: error });
  }
  if (magic !== GGUF) throw new StartError(`The model file ${path} is not a GGUF file.`);
  if (dirname(path).includes(','))
    throw new StartError(`The folder ${dirname(path)} contains a comma, which lists of folders do not allow: move the model.`);
}

/** The list of models of an upstream: `<base>/v1/models`, whether the base ends in /v1 or not. */
const modelsUrl = (base) => `${base.replace(/\/+$/, '').replace(/\/v1$/, '')}/v1/models`;

const reasonOf = (error) =>
  error.name === 'TimeoutError' ? `no response within ${PROBE_MS / 1000} s` : (error.cause?.code ?? error.cause?.message ?? error.message);

async function askUpstream(url, key) {
  try {
    return await fetch(modelsUrl(url), {
      headers: { accept: 'application/json', connection: 'close', ...(key && { authorization: `Bearer ${key}` }) },
      signal: AbortSignal.timeout(PROBE_MS),
    });
  } catch (error) {
    throw new StartError(`The upstream ${url} cannot be reached (${reasonOf(error)}).`, { cause: error });
  }
}

async function listedModels(response) {
  const body = await response.json().catch(() => null);
  return Array.isArray(body?.data) ? body.data.map((model) => model?.id).filter((id) => typeof id === 'string') : [];
}

async function checkUpstream({ url, model }, key, progress) {
  const response = await askUpstream(url, key);
  if (response.status === 401 || response.status === 403) {
    const advice = key ? 'the key is wrong' : 'name the variable that holds its key with --upstream-key-env';
    throw new StartError(`The upstream ${url} refuses access (${response.status}): ${advice}.`);
  }
  const models = response.ok ? await listedModels(response) : [];
  if (!response.ok) await response.body?.cancel();
  if (models.length > 0 && !models.includes(model)) {
    progress.note(`Note: the upstream lists no model "${model}", but ${models.slice(0, 5).join(', ')}${models.length > 5 ? ' …' : ''}.`);
  }
}

function upstreamKey(variable, env) {
  if (variable === null) return null;
  if (!env[variable]) throw new StartError(`The variable ${variable}, named with --upstream-key-env, is not set.`);
  return env[variable];
}

const DATABASES = ['DATABASE_URL', 'KEYS_DATABASE_URL', 'DEPLOYMENTS_DATABASE_URL', 'TUNING_DATABASE_URL'];

function acceptsConnections(host, port) {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const done = (isOpen) => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.setTimeout(PROBE_MS, () => done(false));
    socket.once('connect', () => done(true));
    socket.once('error', () => done(false));
  });
}

/** Error messages show only host and port, since the address may hold a password. */
async function checkDatabase(name, address) {
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url?.protocol !== 'postgres:' && url?.protocol !== 'postgresql:') throw new StartError(`${name} is not a postgres:// address.`);
  const port = url.port || 5432;
  if (!(await acceptsConnections(url.hostname, Number(port))))
    throw new StartError(`${name}: no PostgreSQL server accepts connections at ${url.hostname}:${port}.`);
}

/**
 * Checks the servers that the environment names.
 * @param {NodeJS.ProcessEnv} env
 * @throws {StartError} when one does not accept connections, or NATS has no credentials
 */
async function checkForeignServers(env) {
  for (const name of DATABASES) {
    if (env[name]) await checkDatabase(name, env[name]);
  }
  if (env.NATS_URL && !env.NATS_CREDENTIALS_DIR) {
    throw new StartError('NATS_URL is set, so NATS_CREDENTIALS_DIR must name the folder with one credentials file per service.');
  }
}

/**
 * Checks what can be checked before the slow steps: the port, the model file, the upstream, and the user's own servers.
 * @param {string} root the repository
 * @param {import('./options.mjs').Options} options
 * @param {NodeJS.ProcessEnv} env
 * @param {import('./progress.mjs').Progress} progress
 * @throws {StartError} in one line
 */
export async function preflight(root, options, env, progress) {
  await checkPort(env.HOST || '127.0.0.1', options.port);
  await checkForeignServers(env);
  const key = upstreamKey(options.upstreamKeyVariable, env);
  if (root.includes(',')) throw new StartError(`The folder ${root} contains a comma, which lists of folders do not allow: move it.`);
  if (options.source?.kind === 'file') checkModelFile(options.source.path);
  if (options.source?.kind === 'http') await checkUpstream(options.source, key, progress);
}
