import { isRecord, type ServiceError } from '@slipway/contracts';
import { type StoredValues, valueName } from './stored-values.js';
import { fault } from '../surfaces/shared/error-object.js';
import type { JsonObject } from '../surfaces/shared/faults.js';
import { ownFault } from '../surfaces/responses/errors.js';
import { type InputItem, MAX_ITEMS } from '../surfaces/responses/schema.js';

/** Longest id that is repeated in an error. */
const ID_CHARS_MAX = 64;
/** A response's id, or an item's: the id of its stream between prefix and number. */
const OWN_ID = /^[a-z]+_([0-9A-Za-z]{22})(?:_[0-9]+)?$/;
/** Ids of reasoning items; losing one loses only thinking. */
const THOUGHT_ID = /^rs_/;

export const quoted = (id: string): string => `'${id.slice(0, ID_CHARS_MAX)}'`;

/** The stream in an id of a response or item from here; null in any other text. */
export const streamIn = (id: unknown): string | null => (typeof id === 'string' ? (OWN_ID.exec(id)?.[1] ?? null) : null);

/** An item of a conversation, and the path that errors may name. */
export interface PlacedItem {
  readonly item: Exclude<InputItem, { type: 'item_reference' }>;
  readonly at: string;
}

/** Names of the stored values that a body refers to, which may be no valid request. */
export function namesIn({ previous_response_id: previous, input }: JsonObject): readonly string[] {
  const names = new Set<string>();
  const chain = streamIn(previous);
  if (chain !== null) names.add(valueName(chain, 'o')).add(valueName(chain, 'i'));
  for (const item of Array.isArray(input) ? (input as unknown[]) : []) {
    const stream = isRecord(item) && item['type'] === 'item_reference' ? streamIn(item['id']) : null;
    if (stream !== null) names.add(valueName(stream, 'o'));
  }
  return [...names];
}

/**
 * The whole conversation of a request: that of the previous response, then its own items, references replaced by what they name.
 * @param stored the values that `namesIn` named, as far as they are there; undefined = the deployment stores nothing
 * @throws ServiceError for a reference to what is not stored
 */
export function conversationOf(
  input: string | readonly InputItem[],
  previous: string | undefined,
  stored: StoredValues | undefined,
): readonly PlacedItem[] {
  const store = new ReadStore(stored);
  const own = typeof input === 'string' ? [{ type: 'message', role: 'user', content: input } as const] : input;
  const placed = own.flatMap((item, i) => store.placed(item, `input[${i}]`));
  if (previous === undefined) return placed;
  const whole = [...store.chain(previous), ...placed];
  if (whole.length <= MAX_ITEMS) return whole;
  throw fault(
    'array_above_max_length',
    'previous_response_id',
    `The conversation with 'previous_response_id' has ${whole.length} items, at most ${MAX_ITEMS} are allowed.`,
  );
}

/** Reads stored values; their texts were checked when they came. */
class ReadStore {
  readonly #outputs = new Map<string, readonly PlacedItem['item'][]>();

  constructor(private readonly stored: StoredValues | undefined) {}

  /** An item of a request; what a reference names; nothing for lost reasoning. @throws ServiceError */
  placed(item: InputItem, at: string): PlacedItem[] {
    if (item.type !== 'item_reference') return [{ item, at }];
    const stream = streamIn(item.id);
    const found = stream === null ? undefined : this.#output(stream).find(({ id }) => id === item.id);
    if (found) return [{ item: found, at }];
    if (THOUGHT_ID.test(item.id)) return [];
    throw itemNotFound(item.id, `${at}.id`, this.stored !== undefined);
  }

  /** The conversation that ends with a response. @throws ServiceError */
  chain(previous: string): PlacedItem[] {
    const stream = streamIn(previous);
    const before = stream !== null && this.stored?.get(valueName(stream, 'i'));
    if (stream === null || !before || !this.stored?.has(valueName(stream, 'o'))) {
      throw previousNotFound(previous, this.stored !== undefined);
    }
    const items = [...(JSON.parse(`[${itemTexts(before).join(',')}]`) as PlacedItem['item'][]), ...this.#output(stream)];
    return items.map((item) => ({ item, at: 'previous_response_id' }));
  }

  #output(stream: string): readonly PlacedItem['item'][] {
    const known = this.#outputs.get(stream);
    if (known) return known;
    const bytes = this.stored?.get(valueName(stream, 'o'));
    const output = bytes ? (jsonOf(bytes) as { output: PlacedItem['item'][] }).output : [];
    this.#outputs.set(stream, output);
    return output;
  }
}

const textIn = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
const jsonOf = (bytes: Uint8Array): unknown => JSON.parse(textIn(bytes));

/** The items of a conversation as they are stored: a line of JSON each, so that some can be read without the others. */
export const storedConversation = (conversation: readonly PlacedItem[]): string =>
  conversation.map(({ item }) => JSON.stringify(item)).join('\n');

/** JSON of each item of a stored conversation. */
export const itemTexts = (stored: Uint8Array): string[] => textIn(stored).split('\n');

/** What is stored, for clients that refer to something else. */
const STORED = "answers are stored for an hour here, and only without 'store': false";

const itemNotFound = (id: string, at: string, stores: boolean): ServiceError =>
  ownFault(
    'invalid_value',
    'item_not_found',
    at,
    `Item with id ${quoted(id)} not found: ${stores ? STORED : 'this deployment keeps no answers'}. Send the item itself (AI SDK: providerOptions.openai.store = false).`,
  );

const previousNotFound = (id: string, stores: boolean): ServiceError =>
  ownFault(
    'invalid_value',
    'previous_response_not_found',
    'previous_response_id',
    `Previous response with id ${quoted(id)} not found: ${stores ? STORED : 'answers are not kept here'}. Send the whole conversation in 'input'.`,
  );
