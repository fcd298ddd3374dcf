import { nuid } from '@slipway/platform';
import { type AnswerPart, argumentsIn, type PartFrames, type PartRules } from '../shared/answer-parts.js';
import { jsonText, wholeCharacters } from '../shared/fields.js';

/** How reasoning is shown: whole, as empty blocks, or not at all. */
export type ThinkingDisplay = 'shown' | 'omitted' | 'dropped';

export interface Visibility {
  readonly thinking: ThinkingDisplay;
  /** As the client sent it; 0 = the answer stays empty. */
  readonly maxTokens: number;
  /** Only the first call is shown. */
  readonly oneCall: boolean;
}

/** What of an answer is shown. */
export const partRules = ({ thinking, oneCall }: Visibility): PartRules => ({
  hidesThinking: thinking === 'dropped',
  oneCall,
  newCallId: () => `toolu_01${nuid.next()}`,
});

/** The content of a whole answer. */
interface Content {
  readonly blocks: object[];
  /** Number of calls left out because their arguments are not an object. */
  readonly broken: number;
}

/** The blocks in the contract's form, without optional keys, since some clients reject null. */
export function contentOf(list: readonly AnswerPart[], visibility: Visibility): Content {
  const blocks = list.map((block) => shown(block, visibility));
  const whole = blocks.filter((block) => block !== null);
  return { blocks: whole, broken: blocks.length - whole.length };
}

function shown(block: AnswerPart, { thinking }: Visibility): object | null {
  if (block.kind === 'call') {
    const input = argumentsIn(block);
    return input === null ? null : { type: 'tool_use', id: block.id, name: block.name, input };
  }
  if (block.kind === 'text') return { type: 'text', text: wholeCharacters(block.text) };
  return { type: 'thinking', thinking: thinking === 'shown' ? wholeCharacters(block.text) : '', signature: '' };
}

/** One event of a stream. @param fields further JSON members, each after a comma. */
export const frame = (name: string, fields: string): string => `event: ${name}\ndata: {"type":"${name}"${fields}}\n\n`;

const EMPTY_TEXT = '{"type":"text","text":""}';
const EMPTY_THINKING = '{"type":"thinking","thinking":"","signature":""}';

/** Blocks start empty: some clients ignore initial content, and some count it twice. */
function blockStart(index: number, block: AnswerPart): string {
  return frame('content_block_start', `,"index":${index},"content_block":${emptyBlock(block)}`);
}

function emptyBlock(block: AnswerPart): string {
  if (block.kind === 'call') return `{"type":"tool_use","id":${JSON.stringify(block.id)},"name":${JSON.stringify(block.name)},"input":{}}`;
  return block.kind === 'text' ? EMPTY_TEXT : EMPTY_THINKING;
}

const textDelta = (index: number, text: string): string => delta(index, `{"type":"text_delta","text":${jsonText(text)}}`);

const thinkingDelta = (index: number, text: string): string => delta(index, `{"type":"thinking_delta","thinking":${jsonText(text)}}`);

/** The signature is empty, since signatures are never checked here. */
const signatureDelta = (index: number): string => delta(index, '{"type":"signature_delta","signature":""}');

/** A piece of a call's arguments. */
const inputDelta = (index: number, json: string): string => delta(index, `{"type":"input_json_delta","partial_json":${jsonText(json)}}`);

const blockStop = (index: number): string => frame('content_block_stop', `,"index":${index}`);

const delta = (index: number, body: string): string => frame('content_block_delta', `,"index":${index},"delta":${body}`);

/** The frames of blocks. */
export const blockFrames = ({ thinking }: Visibility): PartFrames => ({
  start: (block, index) => blockStart(index, block),
  piece: ({ kind }, text, index) => {
    if (kind === 'call') return inputDelta(index, text);
    if (kind === 'text') return textDelta(index, text);
    return thinking === 'omitted' ? '' : thinkingDelta(index, text);
  },
  end: (block, index) => {
    // A call without arguments gets one empty piece.
    const nothing = block.kind === 'call' && block.written === '' ? inputDelta(index, '') : '';
    return nothing + (block.kind === 'think' ? signatureDelta(index) : '') + blockStop(index);
  },
});
