import { type ModelSource, ServiceError } from '@slipway/contracts';
import { z } from 'zod';

/** Arguments by which tools name a model. */
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
    .describe('Base address of an HTTP engine (vLLM, SGLang, llama-server, Ollama) that serves the model already.'),
};

const parsed = (address: string): URL | null => (URL.canParse(address) ? new URL(address) : null);

const hasSecret = (address: string): boolean => {
  const url = parsed(address);
  return url !== null && (url.username !== '' || url.password !== '' || url.search !== '');
};

/** @throws ServiceError `invalid_request` for an address that would carry a secret through the conversation */
export function sourceOf({ model, engine_url: url }: { model: string; engine_url?: string | undefined }): ModelSource {
  if (hasSecret(url ?? model)) {
    throw new ServiceError(
      'invalid_request',
      'Addresses with a user name, a password or a query are refused here, as they may hold a secret: create this deployment in the console.',
      { param: url === undefined ? 'model' : 'engine_url' },
    );
  }
  if (url !== undefined) return { kind: 'http', url, model };
  return /^(hf:|https?:)/.test(model) ? { kind: 'download', uri: model } : { kind: 'file', path: model };
}

/** A source as tools show it. */
export const ModelShown = z.object({
  id: z.string().describe('Pass it as model to create_deployment.'),
  format: z.enum(['gguf', 'http']),
  engine_url: z.string().optional().describe('Pass it as engine_url, too.'),
});

const withoutSecret = (address: string): string => {
  const url = parsed(address);
  if (!hasSecret(address) || url === null) return address;
  return `${url.origin}${url.pathname}`;
};

/** Shows where a model comes from; what an address holds besides host and path stays behind. */
export function showModel(source: ModelSource): z.input<typeof ModelShown> {
  if (source.kind === 'file') return { id: source.path, format: 'gguf' };
  if (source.kind === 'download') return { id: withoutSecret(source.uri), format: 'gguf' };
  return { id: source.model, format: 'http', engine_url: withoutSecret(source.url) };
}

/** False for a source whose address may hold a secret: what is shown of it names no model. */
export const isShowable = (source: ModelSource): boolean =>
  source.kind === 'file' || !hasSecret(source.kind === 'http' ? source.url : source.uri);
