import { DEFAULT_CONTEXT, ENGINE_KINDS, optionFault } from '@slipway/contracts';
import { EngineLoadError, type EngineSettings } from '@slipway/engine';

/** The options of a deployment for this engine, by name, as they are stored. */
export type EngineOptions = Readonly<Record<string, string | readonly string[]>>;

/** What one llama-server is to serve. */
export interface ServedModel {
  /** The GGUF file. */
  readonly path: string;
  /** The name that it gives the model. */
  readonly alias: string;
  readonly options: EngineOptions;
  /** Whether it makes embeddings. */
  readonly embeds: boolean;
}

type Running = Pick<EngineSettings, 'context' | 'slots' | 'threads' | 'gpu'>;

/** The one text of an option. What is stored is checked once more: it becomes an argument of the operator's program. */
function optionText(options: EngineOptions, name: keyof (typeof ENGINE_KINDS)['llama-server']['options']): string | null {
  const value = Object.hasOwn(options, name) ? options[name] : undefined;
  if (value === undefined) return null;
  const fault = optionFault(ENGINE_KINDS['llama-server'].options[name], value);
  if (fault === null && typeof value === 'string') return value;
  throw new EngineLoadError('engine_refused', `This worker does not take the value of the option ${name}.`);
}

/**
 * Arguments of a llama-server, without its address and the operator's own.
 * @throws EngineLoadError `engine_refused` for an option that this version does not take
 */
export function serverArguments({ path, alias, options, embeds }: ServedModel, { context, slots, threads, gpu }: Running): string[] {
  const layers = optionText(options, 'gpu_layers');
  const attention = optionText(options, 'flash_attention');
  const cache = optionText(options, 'cache_type');
  return [
    ...['--model', path, '--alias', alias, '--no-webui', '--jinja'],
    // The server divides its context among its slots.
    ...['--ctx-size', String((context ?? DEFAULT_CONTEXT) * slots), '--parallel', String(slots), '--threads', String(threads)],
    // Of an embedding a whole text must come as one batch.
    ...(embeds
      ? ['--embedding', '--batch-size', String(context ?? DEFAULT_CONTEXT), '--ubatch-size', String(context ?? DEFAULT_CONTEXT)]
      : []),
    ...(gpu === true ? [] : ['--device', 'none']),
    ...(gpu === true && layers !== null ? ['--n-gpu-layers', layers] : []),
    ...(attention === null ? [] : ['--flash-attn', attention]),
    ...(cache === null ? [] : ['--cache-type-k', cache, '--cache-type-v', cache]),
  ];
}
