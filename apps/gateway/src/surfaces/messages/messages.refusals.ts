import { ServiceError } from '@slipway/contracts';
import { fault } from './messages.fault.js';

type Body = Readonly<Record<string, unknown>>;
type Refusal = ServiceError | null;

const isObject = (value: unknown): value is Body => typeof value === 'object' && value !== null && !Array.isArray(value);
const isAbsent = (value: unknown): boolean => value === undefined || value === null;
const isEmpty = (value: unknown): boolean => isAbsent(value) || (typeof value === 'object' && Object.keys(value as object).length === 0);

/** Fields that would change the answer and are not offered, unless they are empty. */
const NOT_OFFERED = ['container', 'mcp_servers', 'compaction', 'fallbacks', 'output_format'] as const;

/** The first field of a body that asks for something which is not offered: it is refused, never dropped. */
export function firstRefusal(body: Body): Refusal {
  return thread(body) ?? tools(body) ?? toolChoice(body) ?? outputFormat(body) ?? contextEdits(body) ?? others(body);
}

/**
 * A client that keeps its conversation in a thread sends only what is new in it: an answer without the rest would be
 * wrong and nobody would know. With this very code the official SDK falls back to whole conversations.
 */
function thread({ thread: value }: Body): Refusal {
  if (isAbsent(value)) return null;
  const facts = { error_code: 'thread_unsupported_request' };
  return new ServiceError('unsupported_parameter', 'thread: Threads are not supported; send the whole conversation.', {
    param: 'thread',
    facts,
  });
}

function tools({ tools: list }: Body): Refusal {
  if (isAbsent(list)) return null;
  if (!Array.isArray(list)) return fault('invalid_type', 'tools', 'Expected an array.');
  for (const [i, tool] of (list as unknown[]).entries()) {
    if (!isObject(tool)) return fault('invalid_type', `tools.${i}`, 'Expected an object.');
    const { type, name } = tool;
    if (!isAbsent(type) && type !== 'custom') return fault('unsupported_value', `tools.${i}.type`, 'Only custom tools can be called.');
    if (typeof name !== 'string') return fault('missing_required_parameter', `tools.${i}.name`, 'Field required');
  }
  return list.length === 0 ? null : fault('unsupported_parameter', 'tools', 'Tools are not supported yet; send the request without them.');
}

function toolChoice({ tool_choice: choice }: Body): Refusal {
  if (isAbsent(choice)) return null;
  const type = isObject(choice) ? choice['type'] : undefined;
  return type === 'auto' || type === 'none' ? null : fault('invalid_value', 'tool_choice', 'Without tools, only auto and none make sense.');
}

function outputFormat({ output_config: config }: Body): Refusal {
  const isFree = !isObject(config) || isAbsent(config['format']);
  return isFree ? null : fault('unsupported_parameter', 'output_config.format', 'Structured output is not supported yet.');
}

/** Edits that only drop what is not kept here anyway pass. */
function contextEdits({ context_management: management }: Body): Refusal {
  const edits = isObject(management) ? management['edits'] : undefined;
  if (!Array.isArray(edits)) return null;
  const at = (edits as unknown[]).findIndex((edit) => isObject(edit) && String(edit['type']).startsWith('compact_'));
  return at === -1 ? null : fault('unsupported_value', `context_management.edits.${at}.type`, 'Conversations are not compacted here.');
}

function others(body: Body): Refusal {
  const param = NOT_OFFERED.find((name) => !isEmpty(body[name]));
  return param === undefined ? null : fault('unsupported_parameter', param, 'Not supported yet; send the request without it.');
}
