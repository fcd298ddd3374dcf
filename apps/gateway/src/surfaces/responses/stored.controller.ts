import { Controller, Delete, Get, Param, Query } from '@nestjs/common';
import { isRecord, ServiceError } from '@slipway/contracts';
import { z } from 'zod';
import { Accepts, Context, idHeaders, type InferenceContext } from '../../http/request-context.js';
import { memoryUsedUp, reservationFor } from '../../inference/document-response.js';
import { MemoryShares } from '../../memory/memory-shares.js';
import { StoredResponses } from '../../stored/stored-responses.js';
import { type StoredPart, valueName } from '../../stored/stored-values.js';
import { fault } from '../shared/error-object.js';
import { itemTexts, quoted, streamIn } from './references.js';

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
export class StoredResponsesController {
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
    const { owner, stream } = named(context, id);
    if (!(await this.stored.remove(owner, stream))) throw notFound(id);
    send(context, Buffer.from(JSON.stringify({ id, object: 'response', deleted: true })));
  }

  /** A value of a response. Its memory is held until the answer is over. @throws ServiceError `not_found` */
  async #read(context: InferenceContext, id: string, part: StoredPart): Promise<Uint8Array> {
    const { owner, stream } = named(context, id);
    const hold = reservationFor(this.memory, context);
    const name = valueName(stream, part);
    const found = await this.stored.find(owner, [name], (bytes) => {
      const taken = hold.take(bytes);
      if (taken !== 'taken') throw memoryUsedUp(taken === 'share_used');
    });
    const value = found.get(name);
    if (!value) throw notFound(id);
    return value;
  }
}

type Owner = Parameters<StoredResponses['find']>[0];

/** The stream of a response's id. @throws ServiceError `not_found` where it is none, or nothing is stored here */
function named({ caller, deployment: { facts } }: InferenceContext, id: string): { readonly owner: Owner; readonly stream: string } {
  if (!facts.store)
    throw new ServiceError('not_found', "Answers are not kept here. Send the whole conversation in 'input' of a new request.");
  const stream = id.startsWith('resp_') ? streamIn(id) : null;
  if (stream === null) throw notFound(id);
  return { owner: { account: caller.account.id, deployment: facts.id }, stream };
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
