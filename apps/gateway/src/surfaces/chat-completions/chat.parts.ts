import type { ContentPart, ServiceError, TextPart } from '@slipway/contracts';
import { imageSource } from '../image-source.js';
import { type Fields, fault, isAbsent, missing, requireObject, requireText, wrongType } from './chat.fault.js';

const DETAILS: ReadonlySet<unknown> = new Set(['auto', 'low', 'high']);
/** Parts of the contract's family that cannot be handed on, by the field that holds their content. */
const OTHER_PARTS: ReadonlySet<string> = new Set(['input_audio', 'file', 'video_url', 'audio_url']);

const textPart = (text: string): TextPart => ({ type: 'text', text });

/**
 * The content of a message that is text; its parts become one, since some engines make a turn of each part.
 * @param types part types that are text in this role, by the field that holds it.
 * @throws ServiceError naming the part that is wrong.
 */
export function readText(content: unknown, param: string, types: readonly string[] = ['text']): TextPart[] {
  if (typeof content === 'string') return [textPart(content)];
  return [textPart(partsOf(content, param).reduce<string>((text, part, i) => text + textOf(part, `${param}[${i}]`, types), ''))];
}

/**
 * The content of a user's message. Parts stay apart only around images.
 * @param imageHosts hosts that images may be fetched from.
 * @throws ServiceError naming the part that is wrong.
 */
export function readUserContent(content: unknown, param: string, imageHosts: readonly string[]): ContentPart[] {
  if (typeof content === 'string') return [textPart(content)];
  const parts = partsOf(content, param).map((part, i) => readPart(part, `${param}[${i}]`, imageHosts));
  return parts.some(({ type }) => type === 'image') ? parts : readText(content, param);
}

function partsOf(content: unknown, param: string): readonly unknown[] {
  if (content === undefined) throw missing(param);
  if (!Array.isArray(content)) throw wrongType(param, 'a string or an array of parts');
  if (content.length === 0) throw fault('empty_array', param, `'${param}' must hold at least one part.`);
  return content;
}

function readPart(value: unknown, at: string, imageHosts: readonly string[]): ContentPart {
  const part = requireObject(value, at);
  if (part['type'] !== 'image_url') return textPart(textOf(part, at, ['text']));
  const param = `${at}.image_url`;
  const { url, detail } = requireObject(part['image_url'], param);
  if (!isAbsent(detail) && !DETAILS.has(detail)) throw fault('invalid_value', `${param}.detail`, 'The detail must be auto, low or high.');
  const source = imageSource(requireText(url, `${param}.url`), imageHosts);
  if ('fault' in source) throw fault('unsupported_content', param, `'${param}' ${source.fault}.`);
  return { type: 'image', url: source.url };
}

function textOf(value: unknown, at: string, types: readonly string[]): string {
  const part = requireObject(value, at);
  const type = types.find((known) => known === part['type']);
  if (type === undefined) throw notText(part, at);
  const text = part[type];
  if (typeof text !== 'string') throw wrongType(`${at}.${type}`, 'a string');
  return text;
}

function notText({ type }: Fields, at: string): ServiceError {
  if (isAbsent(type)) return missing(`${at}.type`);
  if (type === 'image_url') return fault('unsupported_content', `${at}.image_url`, 'Images can only stand in messages of the role user.');
  if (typeof type === 'string' && OTHER_PARTS.has(type))
    return fault('unsupported_content', `${at}.${type}`, 'Only text and images are understood.');
  return fault('unsupported_content', `${at}.type`, `'${at}.type' must be text or image_url.`);
}
