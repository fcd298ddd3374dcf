import { resolve } from 'node:path';
import { EngineChoice, type ModelSource } from '@slipway/contracts';
import { Option } from 'commander';
import { UsageError } from '../cli-errors.js';
import type { Call } from '../command.js';

/** Options that name an HTTP engine. */
export const UPSTREAM_OPTIONS = [
  new Option('--upstream <URL>', 'any server of the chat-completions contract, with or without /v1'),
  new Option('--upstream-model <NAME>', "the model's name there"),
  new Option('--upstream-key-env <VAR>', 'environment variable that holds the API key for it'),
];

/** Options that say where a deployment's model comes from. */
export const SOURCE_OPTIONS = [
  new Option('--model <SOURCE>', 'a GGUF file of the workers, an https URL, or hf:user/repo/file.gguf').conflicts('upstream'),
  new Option('--model-sha256 <HEX>', 'checksum that a downloaded model must have'),
  ...UPSTREAM_OPTIONS,
  new Option('--engine <KIND>', 'the engine that loads the model, where it is not the usual one'),
  new Option('--engine-options <JSON>', 'options of that engine, by name'),
];

/** Values of `SOURCE_OPTIONS`. */
export interface SourceValues {
  readonly model?: string;
  readonly modelSha256?: string;
  readonly upstream?: string;
  readonly upstreamModel?: string;
  readonly upstreamKeyEnv?: string;
  readonly engine?: string;
  readonly engineOptions?: string;
}

const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;

function fileOrDownload(text: string, sha256: string | undefined, cwd: string): ModelSource {
  if (text === '') throw new UsageError('--model takes a GGUF file, an https URL or an hf: URI.');
  if (text.startsWith('hf:') || /^https:\/\//i.test(text)) return { kind: 'download', uri: text, ...(sha256 !== undefined && { sha256 }) };
  if (sha256 !== undefined) throw new UsageError('--model-sha256 is for models that are downloaded.');
  if (SCHEME.test(text)) throw new UsageError('--model takes a GGUF file, an https URL or an hf: URI.');
  return { kind: 'file', path: resolve(cwd, text) };
}

function engine(text: string, model: string | undefined): ModelSource {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') throw new UsageError('--upstream takes an http or https URL.');
  if (url.username !== '' || url.password !== '') {
    throw new UsageError('--upstream takes no credentials in the URL; name a variable with --upstream-key-env.');
  }
  if (model === undefined || model === '') throw new UsageError("--upstream needs --upstream-model NAME, the model's name there.");
  return { kind: 'http', url: text, model };
}

function checksumOf({ model, modelSha256 }: SourceValues): string | undefined {
  const text = modelSha256?.toLowerCase();
  if (text === undefined) return undefined;
  if (model === undefined) throw new UsageError('--model-sha256 needs --model.');
  if (!/^[0-9a-f]{64}$/.test(text)) throw new UsageError('--model-sha256 takes 64 hexadecimal digits.');
  return text;
}

/** The engine that the options choose, in the form of its field of a source. */
function engineChoice({ engine: kind, engineOptions: text }: SourceValues): { readonly engine?: EngineChoice } {
  if (kind === undefined && text === undefined) return {};
  if (kind === undefined) throw new UsageError('--engine-options needs --engine KIND.');
  const choice = EngineChoice.safeParse({ kind, ...(text !== undefined && { options: parsed(text) }) });
  if (choice.success) return { engine: choice.data };
  throw new UsageError(
    choice.error.issues[0]?.path[0] === 'kind'
      ? '--engine takes the name of a kind of engine.'
      : '--engine-options takes a JSON object of texts and lists of texts.',
  );
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}

/** The source that the options name; undefined where they name none. @throws UsageError */
export function sourceOf({ options, cwd }: Pick<Call<SourceValues>, 'options' | 'cwd'>): ModelSource | undefined {
  const { model, upstream, upstreamModel } = options;
  const [sha256, chosen] = [checksumOf(options), engineChoice(options)];
  if (upstream !== undefined) return { ...engine(upstream, upstreamModel), ...chosen };
  if (upstreamModel !== undefined) throw new UsageError('--upstream-model needs --upstream URL.');
  if (model === undefined && chosen.engine) throw new UsageError('--engine needs the source that it loads: --model or --upstream.');
  return model === undefined ? undefined : { ...fileOrDownload(model, sha256, cwd), ...chosen };
}

/** The credential of the engine, from the variable that an option names. @throws UsageError when that is empty */
export function credentialOf({ options, variable }: Pick<Call<SourceValues>, 'options' | 'variable'>): string | undefined {
  const name = options.upstreamKeyEnv;
  if (name === undefined) return undefined;
  const value = variable(name);
  if (value === undefined || value === '') throw new UsageError(`--upstream-key-env: the environment variable ${name} is not set.`);
  return value;
}
