import type { CanonicalMessage, ContentPart, ImagePart } from '@slipway/contracts';
import { callArguments } from '../shared/call-arguments.js';
import { fault, WORDING } from '../shared/error-object.js';
import { isAbsent } from '../shared/faults.js';
import { imageSource, textPart } from '../shared/fields.js';
import { type EarlierCall, type ToolResult, type TurnFaults, Turns } from '../shared/turns.js';
import { type PlacedItem, quoted } from '../../stored/references.js';
import type { InputItem } from './schema.js';
import type { ReadTools } from './tools.js';

/** The input where it is one text, texts of messages and of reasoning, and results of calls. */
export const RESPONSES_TEXTS: ReadonlySet<string> = new Set([
  'input',
  'input\n\ncontent',
  'input\n\ncontent\n\ntext',
  'input\n\noutput',
  'input\n\noutput\n\ntext',
]);

/** Begins the `encrypted_content` of answers from here; the text of the reasoning follows in base64. */
const OWN_CONTENT = 'slw1:';
/** Separator of joined texts. */
const GAP = '\n\n';

type Item<T extends InputItem['type']> = Extract<InputItem, { type: T }>;
type Message = Extract<InputItem, { role: unknown }>;
type Part = Exclude<Message['content'], string>[number];
type Reasoning = Item<'reasoning'>;

/** `encrypted_content` of a reasoning item. It is not secret: it only brings the text back. */
export const contentOfThought = (text: string): string => `${OWN_CONTENT}${Buffer.from(text).toString('base64')}`;

/** The conversation in canonical form, with the paths that errors may name. */
export interface ReadInput {
  readonly messages: CanonicalMessage[];
  readonly firstImage: string | undefined;
  readonly firstCall: string | undefined;
}

const FAULTS: TurnFaults = {
  noCall: ({ id, at }) =>
    fault('invalid_value', `${at}.call_id`, `No tool call found for function call output with call_id ${quoted(id)}.`),
  noResult: ({ id, at }) => fault('invalid_value', `${at}.call_id`, `No tool output found for function call ${quoted(id)}.`),
  repeatedId: ({ at }) => fault('invalid_value', `${at}.call_id`, `'${at}.call_id' is the id of an earlier call too.`),
};

/**
 * Converts a conversation that the schema has accepted into turns for every chat template.
 * @param instructions the text before all messages.
 * @param conversation without references.
 * @throws ServiceError naming an item that is still invalid.
 */
export function readInput(
  instructions: string | undefined,
  conversation: readonly PlacedItem[],
  tools: Pick<ReadTools, 'engineName'>,
  imageHosts: readonly string[],
): ReadInput {
  return new InputReader(instructions, tools, imageHosts).read(conversation);
}

/** One answer of the assistant, which several items may make up. */
interface Answer {
  readonly texts: string[];
  readonly thoughts: string[];
  readonly calls: EarlierCall[];
  /** Path of its first item. */
  readonly at: string;
}

class InputReader {
  readonly #turns: Turns;
  /** Items of the assistant since the last other item. */
  #answer: Answer | null = null;
  /** Results since the last other item; they are put in the order of their calls. */
  #results: ToolResult[] = [];
  readonly #calls = new Map<string, number>();
  #firstCall: string | undefined;

  constructor(
    instructions: string | undefined,
    private readonly tools: Pick<ReadTools, 'engineName'>,
    private readonly imageHosts: readonly string[],
  ) {
    this.#turns = new Turns(instructions === undefined || instructions === '' ? [] : [instructions], FAULTS);
  }

  read(conversation: readonly PlacedItem[]): ReadInput {
    for (const { item, at } of conversation) this.#add(item, at);
    this.#endAnswer();
    this.#endResults();
    const { messages, firstImage } = this.#turns.end(false);
    // Empty texts are dropped; a worker needs a message.
    if (messages.length === 0) messages.push({ role: 'user', content: [textPart('')] });
    return { messages, firstImage, firstCall: this.#firstCall };
  }

  #add(item: PlacedItem['item'], at: string): void {
    switch (item.type) {
      case 'reasoning':
        return this.#think(item);
      case 'function_call':
        return this.#call(item, callArguments(item.arguments, `${at}.arguments`), at);
      case 'custom_tool_call':
        return this.#call(item, JSON.stringify({ input: item.input }), at);
      case 'function_call_output':
      case 'custom_tool_call_output':
        return this.#result(item, at);
      default:
        return this.#message(item, at);
    }
  }

  #think(item: Reasoning): void {
    const text = thoughtOf(item);
    if (text !== '') this.#answerAt('').thoughts.push(text);
  }

  #message({ role, content }: Message, at: string): void {
    const path = `${at}.content`;
    if (role === 'assistant') {
      const text = textOf(content, path);
      if (text !== '') this.#answerAt(at).texts.push(text);
      return;
    }
    this.#endAnswer();
    this.#endResults();
    if (role === 'user') {
      const { parts, firstImage } = this.#spoken(content, path);
      this.#turns.user({ results: [], parts: joined(parts), firstImage });
      return;
    }
    const text = textOf(content, path);
    this.#turns.instruction(text === '' ? [] : [text]);
  }

  #call(item: Item<'function_call' | 'custom_tool_call'>, json: string, at: string): void {
    this.#firstCall ??= `${at}.type`;
    this.#calls.set(item.call_id, this.#calls.size);
    this.#answerAt(at).calls.push({ id: item.call_id, name: this.tools.engineName(item.name, item.namespace), arguments: json, at });
  }

  /** The answer that an item belongs to. */
  #answerAt(at: string): Answer {
    this.#endResults();
    this.#answer ??= { texts: [], thoughts: [], calls: [], at };
    return this.#answer;
  }

  /** Reasoning without a text or a call is lost. */
  #endAnswer(): void {
    if (!this.#answer) return;
    const { texts, thoughts, calls, at } = this.#answer;
    this.#answer = null;
    if (texts.length + calls.length > 0) this.#turns.assistant({ text: texts.join(GAP), thoughts, calls, at });
  }

  #result({ call_id: id, output }: Item<'function_call_output' | 'custom_tool_call_output'>, at: string): void {
    this.#endAnswer();
    this.#firstCall ??= `${at}.type`;
    const { parts, firstImage } = this.#spoken(output, `${at}.output`);
    const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
    const images = parts.filter((part): part is ImagePart => part.type === 'image');
    this.#results.push({ id, at, text: texts.join('\n'), images, tools: [] });
    if (firstImage !== undefined) this.#turns.user({ results: [], parts: [], firstImage });
  }

  #endResults(): void {
    if (this.#results.length === 0) return;
    const place = ({ id }: ToolResult): number => this.#calls.get(id) ?? 0;
    const results = this.#results.toSorted((a, b) => place(a) - place(b));
    this.#results = [];
    this.#turns.user({ results, parts: [], firstImage: undefined });
  }

  /** The non-empty parts of a content in which images may stand. */
  #spoken(content: string | readonly Part[], at: string): { parts: ContentPart[]; firstImage: string | undefined } {
    if (typeof content === 'string') return { parts: content === '' ? [] : [textPart(content)], firstImage: undefined };
    const first = content.findIndex(({ type }) => type === 'input_image');
    const parts = content.map((part, i) =>
      part.type === 'input_image' ? this.#image(part, `${at}[${i}].image_url`) : textPart(said(part)),
    );
    return {
      parts: parts.filter((part) => part.type === 'image' || part.text !== ''),
      firstImage: first === -1 ? undefined : `${at}[${first}].image_url`,
    };
  }

  #image({ image_url: url }: Extract<Part, { type: 'input_image' }>, at: string): ImagePart {
    if (isAbsent(url)) throw WORDING.error({ code: 'missing_required_parameter', path: [], expected: null }, at);
    const source = imageSource(url, this.imageHosts);
    if ('url' in source) return { type: 'image', url: source.url };
    throw fault('unsupported_content', at, `'${at}' ${source.fault}.`);
  }
}

/** Joins adjacent texts of one message. */
function joined(parts: readonly ContentPart[]): ContentPart[] {
  const list: ContentPart[] = [];
  let text = '';
  for (const part of parts) {
    if (part.type === 'text') text += part.text;
    else {
      if (text !== '') list.push(textPart(text));
      list.push(part);
      text = '';
    }
  }
  return text === '' ? list : [...list, textPart(text)];
}

const said = (part: Exclude<Part, { type: 'input_image' }>): string => (part.type === 'refusal' ? part.refusal : part.text);

/** The text of a message without images. */
function textOf(content: Message['content'], at: string): string {
  if (typeof content === 'string') return content;
  let text = '';
  for (const [i, part] of content.entries()) {
    if (part.type === 'input_image') {
      throw fault(
        'unsupported_content',
        `${at}[${i}].type`,
        'Images can only stand in messages of the role user, and in outputs of tools.',
      );
    }
    text += said(part);
  }
  return text;
}

/** The text of a reasoning item; '' where only another server could read it. */
function thoughtOf({ encrypted_content: encrypted, content, summary }: Reasoning): string {
  if (isAbsent(encrypted)) return (content && content.length > 0 ? content : (summary ?? [])).map(({ text }) => text).join(GAP);
  return encrypted.startsWith(OWN_CONTENT) ? Buffer.from(encrypted.slice(OWN_CONTENT.length), 'base64').toString() : '';
}
