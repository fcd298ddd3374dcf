import { Controller, Post } from '@nestjs/common';
import { Accepts, Context, type InferenceContext } from '../../http/request-context.js';
import { InferenceService } from '../../inference/inference.service.js';
import { NAMED, namedIn } from '../registry.js';
import type { Surface, SurfaceRegistration } from '../surface.js';
import { responsesErrors } from './errors.js';
import { ResponsesWriter } from './events.js';
import { responsesOpenApi } from './openapi.js';
import { namesIn } from './references.js';
import { readResponsesRequest, type ResponsesRequest, wrongModel } from './request.js';
import { StoredResponsesController } from './stored.controller.js';

const PATH = '/v1/responses';

const surface: Surface<ResponsesRequest> = {
  api: 'responses',
  errors: responsesErrors,
  reader: 'responses',
  namesIn,
  read: readResponsesRequest,
  wrongModel,
  writer: ({ faces, echo, logprobs, oneCall, encrypts, conversation, previous }, { slug }, streamId, store) =>
    new ResponsesWriter({
      streamId,
      model: slug,
      created: Math.floor(Date.now() / 1000),
      faces,
      echo,
      logprobs,
      oneCall,
      encrypts,
      previous,
      requestBytes: 2 * (conversation?.length ?? 0),
      store: conversation === null ? null : (response) => store({ o: response, i: conversation }),
    }),
};

@Controller()
class ResponsesController {
  readonly #inference: InferenceService;

  constructor(inference: InferenceService) {
    this.#inference = inference;
  }

  @Post([`:deployment${PATH}`, `:account/:alias${PATH}`])
  @Accepts('deployment-key')
  create(@Context() context: InferenceContext): Promise<void> {
    return this.#inference.generate(surface, context);
  }
}

const LACKS_V1 = new RegExp(`^${NAMED}/responses$`);
const LACKS_DEPLOYMENT: ReadonlySet<string> = new Set([PATH, '/responses']);
/** Paths below the endpoint. */
const BELOW = /\/v1\/responses\/(.+)$/;

/** What is said at endpoints that are not here. */
const NOT_HERE: Readonly<Record<string, string>> = {
  input_tokens: 'Tokens are not counted in this contract; the messages contract counts them at /v1/messages/count_tokens.',
  cancel: 'Nothing runs in the background here; a client that closes its connection ends its answer.',
  compact: 'Conversations are not compacted here; send an ordinary request that asks for a summary.',
};

function hint(path: string, baseUrl: string): string | null {
  const setTo = (deployment: string): string =>
    `A client that adds /v1 itself takes ${baseUrl}${deployment} as its base URL; set any other client's base URL to ${baseUrl}${deployment}/v1.`;
  const named = namedIn(path);
  if (/\/v1\/v1(\/|$)/.test(path)) return `The path has /v1 twice. ${setTo(named.replace(/(?:\/v1)+$/, '') || '/deployment-<id>')}`;
  if (path.endsWith('/responses/responses')) return `The path has /responses twice. ${setTo(named)}`;
  if (LACKS_DEPLOYMENT.has(path)) return `The path names no deployment. ${setTo('/deployment-<id>')}`;
  if (LACKS_V1.test(path)) return `The path lacks /v1. ${setTo(named)}`;
  if (path.includes('//')) return `The path has an empty part. ${setTo('/deployment-<id>')}`;
  if (path.endsWith('/')) return `The path ends with a slash too many. ${setTo(named)}`;
  const below = BELOW.exec(path)?.[1];
  return below === undefined ? null : notHere(below);
}

/** What is said of a path below the endpoint. */
const notHere = (below: string): string =>
  NOT_HERE[below.replace(/^.*\//, '')] ?? 'Stored responses are read and deleted at /v1/responses/<id>, where the deployment stores them.';

/** The responses contract. Answers are stored where the deployment stores them. */
export const responses: SurfaceRegistration = {
  api: 'responses',
  controllers: [ResponsesController, StoredResponsesController],
  errors: responsesErrors,
  endpoints: [
    { method: 'POST', path: PATH },
    { method: 'GET', path: `${PATH}/{id}` },
    { method: 'DELETE', path: `${PATH}/{id}` },
    { method: 'GET', path: `${PATH}/{id}/input_items` },
  ],
  owns: (path) => /\/responses(?:\/|$)/.test(path),
  hint,
  openapi: responsesOpenApi,
};
