import { downloadOf, ENGINE_KINDS, type EngineChoice, fileOf, type ModelSource, serverOf, ServiceError } from '@slipway/contracts';
import { z } from 'zod';

/** Tool arguments that name a model. */
export const modelInput = {
  model: z
    .string()
    .min(1)
    .max(4_096)
    .describe(
      'What to serve: an id of list_models, hf:user/repo/file.gguf, or an https address of a GGUF. With engine_url: the name of the model at that engine.',
    ),
  engine_url: z
    .url({ protocol: /^https?$/ })
    .max(2_048)
    .optional()
    .describe('Base address of an HTTP engine (vLLM, SGLang, llama-server, Ollama) that already serves the model.'),
  engine: z
    .string()
    .max(32)
    .optional()
    .describe(`Engine that loads the model, if not the default one: ${Object.keys(ENGINE_KINDS).join(', ')}.`),
  engine_options: z
    .record(z.string(), z.union([z.string(), z.array(z.string())]))
    .optional()
    .describe('Options of that engine, by name.'),
};

/** Values of `modelInput`. */
export interface ModelReference {
  readonly model: string;
  readonly engine_url?: string | undefined;
  readonly engine?: string | undefined;
  readonly engine_options?: EngineChoice['options'];
}

/** The chosen engine as a field of a source. @throws ServiceError `invalid_request` for options without an engine */
function engineChoice({ engine, engine_options: options }: ModelReference): { readonly engine?: EngineChoice } {
  if (engine !== undefined) return { engine: { kind: engine, ...(options && { options }) } };
  if (options === undefined) return {};
  throw new ServiceError('invalid_request', 'engine_options needs engine.', { param: 'engine' });
}

const parsed = (address: string): URL | null => (URL.canParse(address) ? new URL(address) : null);

const hasSecret = (address: string): boolean => {
  const url = parsed(address);
  return url !== null && (url.username !== '' || url.password !== '' || url.search !== '');
};

/** The source that the arguments name. @throws ServiceError `invalid_request` for an address that may hold a secret */
export function sourceOf(reference: ModelReference): ModelSource {
  const { model, engine_url: url } = reference;
  if (hasSecret(url ?? model)) {
    throw new ServiceError(
      'invalid_request',
      'Addresses with a user name, a password or a query are refused here, as they may hold a secret: create this deployment in the console.',
      { param: url === undefined ? 'model' : 'engine_url' },
    );
  }
  const engine = engineChoice(reference);
  if (url !== undefined) return { kind: 'http', url, model, ...engine };
  return /^(hf:|https?:)/.test(model) ? { kind: 'download', uri: model, ...engine } : { kind: 'file', path: model, ...engine };
}

/** Output schema of a source. */
export const ModelShown = z.object({
  id: z.string().describe('Pass it as model to create_deployment.'),
  format: z.enum(['gguf', 'http']),
  engine_url: z.string().optional().describe('Pass it as engine_url, too.'),
  engine: z.string().optional().describe('Engine that loads it, where the deployment names one.'),
});

const withoutSecret = (address: string): string => {
  const url = parsed(address);
  if (!hasSecret(address) || url === null) return address;
  return `${url.origin}${url.pathname}`;
};

/** A source as tools show it, with addresses reduced to host and path. */
export function showModel(source: ModelSource): z.input<typeof ModelShown> {
  const server = serverOf(source);
  const engine = source.engine && { engine: source.engine.kind };
  if (server) return { id: server.model, format: 'http', engine_url: withoutSecret(server.url), ...engine };
  return { id: fileOf(source) ?? withoutSecret(downloadOf(source) ?? ''), format: 'gguf', ...engine };
}

/** False for a source whose address may hold a secret: its shown address does not name the model. */
export const isShowable = (source: ModelSource): boolean => !hasSecret(serverOf(source)?.url ?? downloadOf(source) ?? '');
