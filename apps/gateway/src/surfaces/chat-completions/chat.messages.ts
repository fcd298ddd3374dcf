import { type CanonicalMessage, type ErrorCode, ServiceError } from '@slipway/contracts';

/** Roles whose messages are text. */
type TextRole = Exclude<CanonicalMessage['role'], 'tool'>;
type Fields = Readonly<Record<string, unknown>>;

const MAX_NAME_CHARS = 256;
const ROLES: Readonly<Record<string, TextRole>> = {
  system: 'system',
  developer: 'system',
  user: 'user',
  assistant: 'assistant',
};
/** Part types of the contract, by the field that holds their content. */
const OTHER_PARTS: ReadonlySet<string> = new Set(['image_url', 'input_audio', 'file', 'video_url', 'audio_url']);

const fault = (code: ErrorCode, param: string, message: string): ServiceError => new ServiceError(code, message, { param });
const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Reads one message of a conversation.
 * @param at its name in the request, such as `messages[2]`.
 * @throws ServiceError naming the part that is wrong or not supported.
 */
export function readMessage(message: unknown, at: string): CanonicalMessage {
  if (!isObject(message)) throw fault('invalid_type', at, `'${at}' must be an object.`);
  const role = readRole(message, at);
  const text = readContent(message, role, at);
  const name = message['name'];
  if (name === undefined || name === null) return { role, content: [{ type: 'text', text }] };
  if (typeof name !== 'string' || name.length > MAX_NAME_CHARS) {
    throw fault('invalid_value', `${at}.name`, `'${at}.name' must be a string of at most ${MAX_NAME_CHARS} characters.`);
  }
  return { role, content: [{ type: 'text', text }], name };
}

function readRole(message: Fields, at: string): TextRole {
  const { role } = message;
  const param = `${at}.role`;
  if (role === undefined || role === null) throw fault('missing_required_parameter', param, `'${param}' is required.`);
  if (typeof role !== 'string') throw fault('invalid_type', param, `'${param}' must be a string.`);
  if (role === 'tool') {
    const id = message['tool_call_id'];
    if (typeof id !== 'string') throw fault('missing_required_parameter', `${at}.tool_call_id`, `'${at}.tool_call_id' is required.`);
    throw fault('unsupported_content', param, 'Tool messages are not supported yet.');
  }
  if (role === 'function')
    throw fault('unsupported_content', param, 'Messages of the role function were replaced by tools and are not supported.');
  const known = Object.hasOwn(ROLES, role) ? ROLES[role] : undefined;
  if (!known) throw fault('invalid_value', param, `'${param}' must be system, developer, user or assistant.`);
  return known;
}

/** The text of a message; parts become one string, since some engines make a turn of each part. */
function readContent(message: Fields, role: TextRole, at: string): string {
  const { content } = message;
  const param = `${at}.content`;
  if (role === 'assistant') refuseCalls(message, at);
  if (typeof content === 'string') return content;
  if (content === undefined) throw fault('missing_required_parameter', param, `'${param}' is required.`);
  if (!Array.isArray(content)) throw fault('invalid_type', param, `'${param}' must be a string or an array of parts.`);
  if (content.length === 0) throw fault('empty_array', param, `'${param}' must hold at least one part.`);
  return (content as unknown[]).map((part, i) => readPart(part, role, `${param}[${i}]`)).join('');
}

function refuseCalls({ tool_calls: calls, function_call: call, audio }: Fields, at: string): void {
  const hasCalls = Array.isArray(calls) ? calls.length > 0 : calls !== undefined && calls !== null;
  if (hasCalls) throw fault('unsupported_content', `${at}.tool_calls`, 'Tool calls are not supported yet.');
  if (call !== undefined && call !== null)
    throw fault('unsupported_content', `${at}.function_call`, 'Function calls were replaced by tools and are not supported.');
  if (audio !== undefined && audio !== null) throw fault('unsupported_content', `${at}.audio`, 'Audio is not supported.');
}

function readPart(part: unknown, role: TextRole, at: string): string {
  if (!isObject(part)) throw fault('invalid_type', at, `'${at}' must be an object.`);
  const { type } = part;
  if (type === 'text' || (type === 'refusal' && role === 'assistant')) {
    const text = part[type];
    if (typeof text !== 'string') throw fault('invalid_type', `${at}.${type}`, `'${at}.${type}' must be a string.`);
    return text;
  }
  if (typeof type === 'string' && OTHER_PARTS.has(type)) {
    throw fault('unsupported_content', `${at}.${type}`, 'This deployment takes text only.');
  }
  if (type === undefined) throw fault('missing_required_parameter', `${at}.type`, `'${at}.type' is required.`);
  throw fault('unsupported_content', `${at}.type`, `'${at}.type' must be text.`);
}
