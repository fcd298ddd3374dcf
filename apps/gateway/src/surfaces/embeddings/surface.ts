import { Controller, Post } from '@nestjs/common';
import { ERRORS, type ServiceError } from '@slipway/contracts';
import { Accepts, Context, type InferenceContext } from '../../http/request-context.js';
import { InferenceService } from '../../inference/inference.service.js';
import { NAMED, namedIn } from '../registry.js';
import { errorObject } from '../shared/error-object.js';
import { publicCode } from '../shared/faults.js';
import type { ErrorFormat, SplitSurface, SurfaceRegistration } from '../surface.js';
import { EmbeddingsDocument } from './document.js';
import { embeddingsOpenApi } from './openapi.js';
import { type EmbeddingsRequest, readEmbeddingsRequest, wrongModel } from './request.js';

const PATH = '/v1/embeddings';

/** Clients search for the first words to recognise a text that is too long. */
function tooLong({ param = 'input', facts }: ServiceError): string {
  const { tokens, context, estimated } = facts ?? {};
  const limit = context === undefined ? '' : ` is ${context} tokens`;
  const come = tokens === undefined ? 'is longer' : `comes to ${estimated === undefined ? '' : 'at least '}${tokens}`;
  return `This model's maximum context length${limit}, but '${param}' ${come}. Texts are not cut: shorten it, or split it.`;
}

const embeddingsErrors: ErrorFormat = {
  status: (error) => ERRORS[publicCode(error)].status,
  body: (error) => JSON.stringify({ error: errorObject(error, { field: 'input', tooLong }) }),
};

const surface: SplitSurface<EmbeddingsRequest> = {
  api: 'embeddings',
  reader: 'embeddings',
  read: readEmbeddingsRequest,
  wrongModel,
  writer: (request, { slug }) => new EmbeddingsDocument(request, slug),
};

@Controller()
class EmbeddingsController {
  readonly #inference: InferenceService;

  constructor(inference: InferenceService) {
    this.#inference = inference;
  }

  @Post([`:deployment${PATH}`, `:account/:alias${PATH}`])
  @Accepts('deployment-key')
  embed(@Context() context: InferenceContext): Promise<void> {
    return this.#inference.embed(surface, context);
  }
}

/** The message for a client with a wrong base URL; null where the path shows none. */
function hint(path: string, baseUrl: string): string | null {
  const setTo = (deployment: string): string => `Set the client's base URL to ${baseUrl}${deployment}/v1.`;
  const named = namedIn(path);
  if (/\/v1\/v1(\/|$)/.test(path)) return `The path has /v1 twice. ${setTo(named.replace(/(?:\/v1)+$/, '') || '/deployment-<id>')}`;
  if (path.endsWith('/embeddings/embeddings')) return `The path has /embeddings twice. ${setTo(named)}`;
  if (path === PATH || path === '/embeddings') return `The path names no deployment. ${setTo('/deployment-<id>')}`;
  if (new RegExp(`^${NAMED}/embeddings$`).test(path)) return `The path lacks /v1. ${setTo(named)}`;
  if (path.includes('//')) return `The path has an empty part. ${setTo('/deployment-<id>')}`;
  return path.endsWith('/') ? `The path ends with a slash too many. ${setTo(named)}` : null;
}

/** The embeddings contract, for deployments that make embeddings. */
export const embeddings: SurfaceRegistration = {
  api: 'embeddings',
  controllers: [EmbeddingsController],
  errors: embeddingsErrors,
  endpoints: [{ method: 'POST', path: PATH }],
  owns: (path) => /\/embeddings\/*$/.test(path),
  hint,
  openapi: embeddingsOpenApi,
};
