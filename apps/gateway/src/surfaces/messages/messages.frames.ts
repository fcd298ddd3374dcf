import { jsonText } from '../json-text.js';
import type { AnswerBlock } from './messages.blocks.js';

/** One event of a stream. @param fields the rest of its JSON, each with a comma before it. */
export const frame = (name: string, fields: string): string => `event: ${name}\ndata: {"type":"${name}"${fields}}\n\n`;

const EMPTY_TEXT = '{"type":"text","text":""}';
const EMPTY_THINKING = '{"type":"thinking","thinking":"","signature":""}';

/** Blocks begin empty: of what else stands here, some clients take nothing and some take it twice. */
export function blockStart(index: number, block: AnswerBlock): string {
  return frame('content_block_start', `,"index":${index},"content_block":${emptyBlock(block)}`);
}

function emptyBlock(block: AnswerBlock): string {
  if (block.kind === 'text') return EMPTY_TEXT;
  if (block.kind === 'thinking') return EMPTY_THINKING;
  return `{"type":"tool_use","id":${JSON.stringify(block.id)},"name":${JSON.stringify(block.name)},"input":{}}`;
}

export const textDelta = (index: number, text: string): string => delta(index, `{"type":"text_delta","text":${jsonText(text)}}`);

export const thinkingDelta = (index: number, text: string): string =>
  delta(index, `{"type":"thinking_delta","thinking":${jsonText(text)}}`);

/** Thoughts are signed with nothing: no signature is ever looked at here. */
export const signatureDelta = (index: number): string => delta(index, '{"type":"signature_delta","signature":""}');

/** A piece of a call's arguments. */
export const inputDelta = (index: number, json: string): string =>
  delta(index, `{"type":"input_json_delta","partial_json":${jsonText(json)}}`);

export const blockStop = (index: number): string => frame('content_block_stop', `,"index":${index}`);

const delta = (index: number, body: string): string => frame('content_block_delta', `,"index":${index},"delta":${body}`);
