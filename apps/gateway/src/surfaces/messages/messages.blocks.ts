import type { StreamEvent } from '@slipway/contracts';
import { nuid } from '@slipway/platform';
import type { ThinkingDisplay } from './messages.thinking.js';

type CallEvent = Extract<StreamEvent, { k: 'call' }>;
type ArgsEvent = Extract<StreamEvent, { k: 'args' }>;
type SpokenEvent = Extract<StreamEvent, { k: 'text' | 'think' }>;

/** Text, or thoughts. `text` = what was said and not written yet. */
interface Spoken<K extends 'text' | 'thinking'> {
  readonly kind: K;
  text: string;
}
type SpokenBlock = Spoken<'text'> | Spoken<'thinking'>;

/** A call. `text` = JSON of its arguments so far; the part before `written` has been written. */
export interface CallBlock {
  readonly kind: 'tool_use';
  readonly call: number;
  readonly id: string;
  readonly name: string;
  text: string;
  written: number;
}

export type AnswerBlock = SpokenBlock | CallBlock;

export interface Visibility {
  readonly thinking: ThinkingDisplay;
  /** As the client asked; 0 = nothing is said, whatever the engine says. */
  readonly maxTokens: number;
  /** The first call is shown and no other. */
  readonly oneCall: boolean;
}

/** The content blocks of one answer, in the order in which they began; what the client is not shown is not among them. */
export class AnswerBlocks {
  readonly list: AnswerBlock[] = [];
  readonly #ids = new Set<string>();

  constructor(private readonly visibility: Visibility) {}

  /** The answer holds a call, or held one that is written. */
  get hasCalls(): boolean {
    return this.#ids.size > 0;
  }

  add(event: StreamEvent): void {
    if (this.visibility.maxTokens === 0) return;
    if (event.k === 'text' || event.k === 'think') this.#say(event);
    else if (event.k === 'call') this.#call(event);
    else if (event.k === 'args') this.#args(event);
  }

  #say({ k, x }: SpokenEvent): void {
    if (x === '' || (k === 'think' && this.visibility.thinking === 'dropped')) return;
    const kind = k === 'think' ? 'thinking' : 'text';
    const last = this.list.at(-1);
    if (last?.kind === kind) last.text += x;
    else this.list.push({ kind, text: x });
  }

  #call({ i, id, name }: CallEvent): void {
    if (this.visibility.oneCall && this.hasCalls) return;
    // Clients find a call's result by its id, so each is its own.
    const own = this.#ids.has(id) ? `toolu_01${nuid.next()}` : id;
    this.#ids.add(own);
    this.list.push({ kind: 'tool_use', call: i, id: own, name, text: '', written: 0 });
  }

  /** Arguments go to their call, whatever was said since it began. */
  #args({ i, x }: ArgsEvent): void {
    const block = this.list.findLast((one) => one.kind === 'tool_use' && one.call === i);
    if (block) block.text += x;
  }
}

/** The arguments of a call as the object that they are; null while, or where, they are none. */
export function inputOf({ text }: CallBlock): Record<string, unknown> | null {
  if (text === '') return {};
  try {
    const input: unknown = JSON.parse(text);
    return typeof input === 'object' && input !== null && !Array.isArray(input) ? (input as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
