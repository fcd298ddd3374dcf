import { ServiceError } from '@slipway/contracts';
import { fault } from './messages.fault.js';
import { type Fields, isAbsent, isObject } from './messages.fields.js';

type Refusal = ServiceError | null;

const isEmpty = (value: unknown): boolean => isAbsent(value) || (typeof value === 'object' && Object.keys(value).length === 0);

/** Fields that would change the answer and are not offered, unless they are empty. */
const NOT_OFFERED = ['container', 'mcp_servers', 'compaction', 'fallbacks'] as const;

/** The first field of a body that asks for something which is not offered: it is refused, never dropped. */
export function firstRefusal(body: Fields): Refusal {
  return thread(body) ?? contextEdits(body) ?? others(body);
}

/**
 * A client that keeps its conversation in a thread sends only what is new in it: an answer without the rest would be
 * wrong and nobody would know. With this very code the official SDK falls back to whole conversations.
 */
function thread({ thread: value }: Fields): Refusal {
  if (isAbsent(value)) return null;
  const facts = { error_code: 'thread_unsupported_request' };
  return new ServiceError('unsupported_parameter', 'thread: Threads are not supported; send the whole conversation.', {
    param: 'thread',
    facts,
  });
}

const isCompaction = (type: unknown): boolean => typeof type === 'string' && type.startsWith('compact_');

/** Edits that only drop what is not kept here anyway pass. */
function contextEdits({ context_management: management }: Fields): Refusal {
  const edits = isObject(management) ? management['edits'] : undefined;
  if (!Array.isArray(edits)) return null;
  const at = (edits as unknown[]).findIndex((edit) => isObject(edit) && isCompaction(edit['type']));
  return at === -1 ? null : fault('unsupported_value', `context_management.edits.${at}.type`, 'Conversations are not compacted here.');
}

function others(body: Fields): Refusal {
  const param = NOT_OFFERED.find((name) => !isEmpty(body[name]));
  return param === undefined ? null : fault('unsupported_parameter', param, 'Not supported; send the request without it.');
}
