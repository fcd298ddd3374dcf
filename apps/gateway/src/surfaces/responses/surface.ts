import { Controller, Delete, Get, Param, Post, Query } from '@nestjs/common';
import { isRecord, ServiceError } from '@slipway/contracts';
import { z } from 'zod';
import { Accepts, Context, idHeaders, type InferenceContext } from '../../http/request-context.js';
import { memoryUsedUp, reservationFor } from '../../inference/document-response.js';
import { InferenceService } from '../../inference/inference.service.js';
import { MemoryShares } from '../../memory/memory-shares.js';
import { itemTexts, namesIn, quoted, streamIn } from '../../stored/references.js';
import { StoredResponses } from '../../stored/stored-responses.js';
import { type StoredPart, valueName } from '../../stored/stored-values.js';
import { NAMED, namedIn } from '../registry.js';
import { fault } from '../shared/error-object.js';
import type { Surface, SurfaceRegistration } from '../surface.js';
import { RESPONSES_TEXTS } from './conversation.js';
import { responsesErrors } from './errors.js';
import { ResponsesWriter } from './events.js';
import { responsesOpenApi } from './openapi.js';
import { readResponsesRequest, type ResponsesRequest, wrongModel } from './request.js';

const ONE = [':deployment/v1/responses/:id', ':account/:alias/v1/responses/:id'];
const ITEMS = ONE.map((path) => `${path}/input_items`);

const Listing = z.object({
  limit: z.coerce.number().int().min(1).max(100).default(20),
  order: z.enum(['asc', 'desc']).default('desc'),
  after: z.string().optional(),
});
const RULES: Readonly<Record<string, string>> = {
  limit: 'a whole number from 1 to 100',
  order: "'asc' or 'desc'",
  after: 'the id of an item',
};

/** Stored responses: each is read, listed by the items of its conversation, and removed. */
@Controller()
class StoredResponsesController {
  constructor(
    private readonly stored: StoredResponses,
    private readonly memory: MemoryShares,
  ) {}

  @Get(ONE)
  @Accepts('deployment-key')
  async find(@Context() context: InferenceContext, @Param('id') id: string, @Query('stream') stream?: string): Promise<void> {
    if (stream !== undefined && stream !== 'false')
      throw fault('unsupported_parameter', 'stream', "A stored response is not streamed again; leave 'stream' out.");
    send(context, await this.#read(context, id, 'o'));
  }

  @Get(ITEMS)
  @Accepts('deployment-key')
  async inputItems(@Context() context: InferenceContext, @Param('id') id: string, @Query() query: unknown): Promise<void> {
    const listing = Listing.safeParse(query);
    if (!listing.success) throw wrongQuery(String(listing.error.issues[0]?.path[0]));
    const items = itemTexts(await this.#read(context, id, 'i'));
    send(context, Buffer.from(JSON.stringify(pageOf(items, streamIn(id) ?? '', listing.data))));
  }

  @Delete(ONE)
  @Accepts('deployment-key')
  async remove(@Context() context: InferenceContext, @Param('id') id: string): Promise<void> {
    const { owners, stream } = named(context, id);
    let isRemoved = false;
    for (const owner of owners) isRemoved ||= await this.stored.remove(owner, stream);
    if (!isRemoved) throw notFound(id);
    send(context, Buffer.from(JSON.stringify({ id, object: 'response', deleted: true })));
  }

  /** A value of a response. Its memory is held until the answer is over. @throws ServiceError `not_found` */
  async #read(context: InferenceContext, id: string, part: StoredPart): Promise<Uint8Array> {
    const { owners, stream } = named(context, id);
    const hold = reservationFor(this.memory, context);
    const name = valueName(stream, part);
    for (const owner of owners) {
      const found = await this.stored.find(owner, [name], (bytes) => {
        const taken = hold.take(bytes);
        if (taken !== 'taken') throw memoryUsedUp(taken === 'share_used');
      });
      const value = found.get(name);
      if (value) return value;
    }
    throw notFound(id);
  }
}

type Owner = Parameters<StoredResponses['find']>[0];

/**
 * The stream of a response's id, and the deployments that may have stored it: both sides of a canary.
 * @throws ServiceError `not_found` where it is none, or nothing is stored here
 */
function named({ caller, deployment }: InferenceContext, id: string): { readonly owners: readonly Owner[]; readonly stream: string } {
  const sides = [deployment, deployment.canary?.candidate].flatMap((side) => (side?.facts.store ? [side.facts.id] : []));
  if (sides.length === 0)
    throw new ServiceError('not_found', "Answers are not kept here. Send the whole conversation in 'input' of a new request.");
  const stream = id.startsWith('resp_') ? streamIn(id) : null;
  if (stream === null) throw notFound(id);
  return { owners: sides.map((side) => ({ account: caller.account.id, deployment: side })), stream };
}

const notFound = (id: string): ServiceError =>
  new ServiceError(
    'not_found',
    `Response with id ${quoted(id)} not found: answers are stored for an hour here, and only without 'store': false.`,
  );

const wrongQuery = (name: string): ServiceError => fault('invalid_value', name, `'${name}' must be ${RULES[name] ?? 'valid'}.`);

/** Prefixes of items' ids, by type. */
const PREFIXES: Readonly<Record<string, string>> = {
  reasoning: 'rs',
  function_call: 'fc',
  function_call_output: 'fco',
  custom_tool_call: 'ctc',
  custom_tool_call_output: 'ctco',
};

/** A page of the items of a conversation, each with an id. @throws ServiceError for an `after` that is none of them */
function pageOf(texts: readonly string[], stream: string, { limit, order, after }: z.output<typeof Listing>): object {
  const places = texts.map((_, at) => at);
  if (order === 'desc') places.reverse();
  const last = after === undefined ? -1 : places.indexOf(Number(/_i(\d+)$/.exec(after)?.[1] ?? NaN));
  if (after !== undefined && last === -1) throw wrongQuery('after');
  const page = places.slice(last + 1, last + 1 + limit);
  const data = page.map((at) => shown(JSON.parse(texts[at] ?? '{}'), `${stream}_i${at}`));
  const idOf = (item: object | undefined): unknown => (isRecord(item) ? item['id'] : null);
  return {
    object: 'list',
    data,
    first_id: idOf(data[0]),
    last_id: idOf(data.at(-1)),
    has_more: last + 1 + limit < places.length,
  };
}

/** An item as lists show it: with an id, and its text as a part. */
function shown(item: unknown, name: string): object {
  if (!isRecord(item)) return {};
  const { type = 'message', content, ...rest } = item;
  const id = `${PREFIXES[String(type)] ?? 'msg'}_${name}`;
  const part = item['role'] === 'assistant' ? { type: 'output_text', annotations: [], logprobs: [] } : { type: 'input_text' };
  const parts = typeof content === 'string' ? [{ ...part, text: content }] : content;
  return { ...rest, id, type, status: 'completed', ...(parts !== undefined && { content: parts }) };
}

function send({ response, id }: InferenceContext, body: Uint8Array): void {
  response.writeHead(200, {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    'content-length': body.length,
    ...idHeaders(id),
  });
  response.end(body);
}

const PATH = '/v1/responses';

const surface: Surface<ResponsesRequest> = {
  api: 'responses',
  errors: responsesErrors,
  reader: 'responses',
  texts: RESPONSES_TEXTS,
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
