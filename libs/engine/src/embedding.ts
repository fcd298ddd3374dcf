import { endianness } from 'node:os';
import { ServiceError } from '@slipway/contracts';

/** The content of a `vec` event: the vector at length 1 (L2), as base64 of little-endian 32-bit floats. @throws ServiceError `engine_error` */
export function vectorText(numbers: readonly number[]): string {
  const length = Math.sqrt(numbers.reduce((sum, number) => sum + number * number, 0));
  if (!Number.isFinite(length) || length === 0) throw new ServiceError('engine_error', 'The engine made a vector without a direction.');
  const floats = Float32Array.from(numbers, (number) => number / length);
  const bytes = Buffer.from(floats.buffer);
  return (endianness() === 'LE' ? bytes : bytes.swap32()).toString('base64');
}

/** A text that is longer than the context of its model. @param index of the text. */
export const textTooLong = (index: number, tokens: number, context: number, isEstimate = false): ServiceError =>
  new ServiceError('context_length_exceeded', `This model's maximum context length is ${context} tokens, and texts are not cut.`, {
    param: `input[${index}]`,
    facts: { tokens, context, ...(isEstimate && { estimated: 1 }) },
  });

/** No tokenizer makes fewer tokens of a text: more bytes than this many per token of context need not be counted. */
export const BYTES_PER_TOKEN = 64;

/** The error of a conversation that is sent to a model of embeddings. */
export const makesEmbeddings = (): ServiceError =>
  new ServiceError('invalid_request', 'This deployment makes embeddings: use /v1/embeddings.');
