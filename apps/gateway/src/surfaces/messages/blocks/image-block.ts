import type { ImagePart } from '@slipway/contracts';
import { imageSource } from '../../image-source.js';
import type { RequestPolicy } from '../../surface.js';
import { fault } from '../messages.fault.js';
import { requireObject, requireText } from '../messages.fields.js';
import type { Block } from './block.js';

/** @throws ServiceError for what is no image, and for one that nobody may fetch. */
export function readImage({ fields, at }: Block, { imageHosts }: RequestPolicy): ImagePart {
  const source = requireObject(fields['source'], `${at}.source`);
  const type = requireText(source['type'], `${at}.source.type`);
  if (type === 'base64') return embedded(source, `${at}.source`);
  if (type !== 'url') throw fault('unsupported_content', `${at}.source.type`, 'Send the image as base64; no files are kept here.');
  const image = imageSource(requireText(source['url'], `${at}.source.url`), imageHosts);
  if ('fault' in image) throw fault('invalid_value', `${at}.source.url`, `The URL ${image.fault}.`);
  return { type: 'image', url: image.url };
}

function embedded(source: Readonly<Record<string, unknown>>, at: string): ImagePart {
  const mediaType = requireText(source['media_type'], `${at}.media_type`);
  const data = requireText(source['data'], `${at}.data`);
  if (!/^image\/(png|jpeg|webp|gif)$/.test(mediaType)) {
    throw fault('invalid_value', `${at}.media_type`, 'Expected image/jpeg, image/png, image/gif or image/webp.');
  }
  const image = imageSource(`data:${mediaType};base64,${data}`, []);
  if ('fault' in image) throw fault('invalid_value', `${at}.data`, 'Not valid base64.');
  return { type: 'image', url: image.url };
}
