import { wholeCharacters } from '../json-text.js';
import { type AnswerBlock, inputOf, type Visibility } from './messages.blocks.js';

/** The content of a whole answer. */
interface Content {
  readonly blocks: object[];
  /** Calls that were left out, because their arguments are no object. */
  readonly broken: number;
}

/** Each block as the contract shows it: no key that it does not need, since some clients refuse a null where others declare one. */
export function contentOf(list: readonly AnswerBlock[], visibility: Visibility): Content {
  const blocks = list.map((block) => shown(block, visibility));
  const whole = blocks.filter((block) => block !== null);
  return { blocks: whole, broken: blocks.length - whole.length };
}

function shown(block: AnswerBlock, { thinking }: Visibility): object | null {
  if (block.kind === 'text') return { type: 'text', text: wholeCharacters(block.text) };
  if (block.kind === 'thinking')
    return { type: 'thinking', thinking: thinking === 'shown' ? wholeCharacters(block.text) : '', signature: '' };
  const input = inputOf(block);
  return input === null ? null : { type: 'tool_use', id: block.id, name: block.name, input };
}
