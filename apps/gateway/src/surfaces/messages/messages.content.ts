import { fault } from './messages.fault.js';

type Fields = Readonly<Record<string, unknown>>;

/** Block types of the contract that cannot be carried yet, and why. */
const UNSUPPORTED: Readonly<Record<string, string>> = {
  image: 'This deployment does not accept images.',
  document: 'Documents are not supported yet.',
  search_result: 'Search results are not supported yet.',
  tool_use: 'Tools are not supported yet.',
  tool_result: 'Tools are not supported yet.',
};
/** Thoughts of earlier turns are no part of the prompt of the next one; their signatures are nobody's business. */
const THOUGHTS: ReadonlySet<unknown> = new Set(['thinking', 'redacted_thinking']);

const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * The texts of a content, which is a string or an array of blocks; empty ones are left out.
 * @param at its name in the request, such as `messages.2.content`.
 * @throws ServiceError naming the block that is wrong or not supported.
 */
export function readText(content: unknown, role: 'system' | 'user' | 'assistant', at: string): string[] {
  if (typeof content === 'string') return content === '' ? [] : [content];
  if (!Array.isArray(content)) throw fault('invalid_type', at, 'Expected a string or an array of blocks.');
  return (content as unknown[]).map((block, i) => readBlock(block, role, `${at}.${i}`)).filter((text) => text !== '');
}

function readBlock(block: unknown, role: string, at: string): string {
  if (!isObject(block)) throw fault('invalid_type', at, 'Expected an object.');
  const { type, text } = block;
  if (type === undefined || type === null) throw fault('missing_required_parameter', `${at}.type`, 'Field required');
  if (role === 'assistant' && THOUGHTS.has(type)) return '';
  if (type !== 'text') throw unsupported(type, role, at);
  if (text === undefined || text === null) throw fault('missing_required_parameter', `${at}.text`, 'Field required');
  if (typeof text !== 'string') throw fault('invalid_type', `${at}.text`, 'Expected a string.');
  return text;
}

function unsupported(type: unknown, role: string, at: string): Error {
  const known = role !== 'system' && typeof type === 'string' && Object.hasOwn(UNSUPPORTED, type) ? UNSUPPORTED[type] : undefined;
  return known === undefined
    ? fault('unsupported_content', `${at}.type`, 'Only text blocks are supported here.')
    : fault('unsupported_content', at, known);
}
