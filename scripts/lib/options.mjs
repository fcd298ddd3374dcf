import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { StartError } from './start-error.mjs';

export const USAGE = `Usage: npm start -- [options]

Starts everything on this machine: PostgreSQL, NATS, the services, workers and gateways. The data is
kept between runs. Ctrl-C stops what it started.

What is served (default: a small demo model):
  --model SOURCE            a GGUF file, an https URL, or hf:user/repo/file.gguf
  --upstream URL            any server of the chat-completions contract, with or without /v1
  --upstream-model NAME     the model's name there
  --upstream-key-env VAR    environment variable that holds the API key for it

Where and how many:
  --port N                  of the first gateway (8080); N+1 stays free for the console
  --data-dir DIR            databases, secrets, logs, downloaded models (.slipway in the repository)
  --workers N               inference workers (1)
  --gateways N              gateways (1); further ones take the next free ports
  --no-tuning               no data sets and no training

Output:
  --new-key                 creates another API key and shows it
  --json                    prints one line of JSON on stdout once ready, and nothing else there
  --help                    this text

Environment: DATABASE_URL and NATS_URL (with NATS_CREDENTIALS_DIR) name servers of yours,
NATS_SERVER_BIN names a nats-server, HOST is the gateways' address (127.0.0.1), LOG_LEVEL how much the
services log, PUBLIC_BASE_URL the address that clients use.
`;

/** Invalid options: exit code 2. */
export class UsageError extends StartError {
  name = 'UsageError';
}

/**
 * Options of the command line, checked for form only.
 * @typedef {{ kind: 'file', path: string } | { kind: 'download', uri: string } | { kind: 'http', url: string, model: string }} Source
 * @typedef {{
 *   help: boolean, json: boolean, newKey: boolean, port: number, dataDir: string, workers: number, gateways: number, tuning: boolean,
 *   source: Source | null, upstreamKeyVariable: string | null
 * }} Options  source = null for the bundled model
 */

const KNOWN = {
  model: { type: 'string' },
  upstream: { type: 'string' },
  'upstream-model': { type: 'string' },
  'upstream-key-env': { type: 'string' },
  port: { type: 'string' },
  'data-dir': { type: 'string' },
  workers: { type: 'string' },
  gateways: { type: 'string' },
  'no-tuning': { type: 'boolean' },
  'new-key': { type: 'boolean' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
};

function parse(argv) {
  try {
    return parseArgs({ args: argv, options: KNOWN, strict: true, allowPositionals: false }).values;
  } catch (error) {
    throw new UsageError(`${error.message.split(/\. |\n/)[0]}. "npm start -- --help" lists the options.`, { cause: error });
  }
}

/** npm takes options that do not follow a "--" and passes them on as variables. */
function refuseTakenOptions(env) {
  const taken = Object.keys(KNOWN).find(
    (name) => !['json', 'help'].includes(name) && env[`npm_config_${name.replaceAll('-', '_')}`] !== undefined,
  );
  if (taken) throw new UsageError(`npm took --${taken} for itself; put "--" before the options: npm start -- --${taken} …`);
}

function whole(values, name, { fallback, min, max }) {
  const text = values[name];
  if (text === undefined) return fallback;
  const number = /^\d{1,9}$/.test(text) ? Number(text) : NaN;
  if (!(number >= min && number <= max)) throw new UsageError(`--${name} takes a whole number from ${min} to ${max}, not "${text}".`);
  return number;
}

function modelSource(text, cwd) {
  if (text === '') throw new UsageError('--model takes a GGUF file, an https URL or an hf: URI.');
  if (text.startsWith('hf:')) {
    if (!/^hf:[\w.-]+\/[\w.-]+\/.+$/.test(text)) throw new UsageError(`--model ${text}: an hf: URI looks like hf:user/repo/file.gguf.`);
    return { kind: 'download', uri: text };
  }
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return { kind: 'file', path: resolve(cwd, text) };
  if (!URL.canParse(text) || new URL(text).protocol !== 'https:')
    throw new UsageError('--model takes a GGUF file, an https URL or an hf: URI.');
  return { kind: 'download', uri: text };
}

function upstreamSource(text, model) {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') throw new UsageError('--upstream takes an http or https URL.');
  if (url.username || url.password)
    throw new UsageError('--upstream takes no credentials in the URL; name a variable with --upstream-key-env.');
  if (!model) throw new UsageError('--upstream needs --upstream-model NAME, the model’s name there.');
  return { kind: 'http', url: text, model };
}

function sourceOf(values, cwd) {
  const { model, upstream } = values;
  if (model !== undefined && upstream !== undefined) throw new UsageError('--model and --upstream exclude each other.');
  if (upstream !== undefined) return upstreamSource(upstream, values['upstream-model']);
  const unpaired = ['upstream-model', 'upstream-key-env'].find((name) => values[name] !== undefined);
  if (unpaired) throw new UsageError(`--${unpaired} needs --upstream URL.`);
  return model === undefined ? null : modelSource(model, cwd);
}

/**
 * Reads the command line.
 * @param {string[]} argv without node and script
 * @param {NodeJS.ProcessEnv} env
 * @param {string} root the repository
 * @returns {Options}
 * @throws {UsageError} with a message of one line
 */
export function readOptions(argv, env, root) {
  const values = parse(argv);
  refuseTakenOptions(env);
  // npm runs scripts in the repository and names the folder of the call in INIT_CWD.
  const cwd = env.INIT_CWD ?? process.cwd();
  return {
    help: values.help === true,
    json: values.json === true,
    newKey: values['new-key'] === true,
    port: whole(values, 'port', { fallback: 8080, min: 1, max: 65_535 }),
    dataDir: values['data-dir'] === undefined ? join(root, '.slipway') : resolve(cwd, values['data-dir']),
    workers: whole(values, 'workers', { fallback: 1, min: 1, max: 16 }),
    gateways: whole(values, 'gateways', { fallback: 1, min: 1, max: 16 }),
    tuning: values['no-tuning'] !== true,
    source: sourceOf(values, cwd),
    upstreamKeyVariable: values['upstream-key-env'] ?? null,
  };
}
