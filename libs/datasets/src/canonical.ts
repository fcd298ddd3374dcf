import type { CanonicalCall, CanonicalExample, CanonicalMessage, Offer } from './example.js';
import { Hash64 } from './hash.js';

const quoted = JSON.stringify as (text: string) => string;

function callText({ id, name, arguments: given }: CanonicalCall): string {
  return `{${id === null ? '' : `"id":${quoted(id)},`}"type":"function","function":{"name":${quoted(name)},"arguments":${given}}}`;
}

/** A message as canonical JSON. */
function messageText(message: CanonicalMessage): string {
  const { role, content, name, reasoning, calls, callId, learned } = message;
  let text = `{"role":"${role}","content":${quoted(content)}`;
  if (name !== null) text += `,"name":${quoted(name)}`;
  if (reasoning !== null) text += `,"reasoning_content":${quoted(reasoning)}`;
  if (calls.length > 0) text += `,"tool_calls":[${calls.map(callText).join(',')}]`;
  if (callId !== null) text += `,"tool_call_id":${quoted(callId)}`;
  return learned ? `${text}}` : `${text},"weight":0}`;
}

function offerText({ tools, parallelToolCalls }: Offer): string {
  const offered = tools.length > 0 ? `"tools":[${tools.join(',')}],` : '';
  return parallelToolCalls === null ? offered : `${offered}"parallel_tool_calls":${parallelToolCalls},`;
}

function joined(messages: readonly CanonicalMessage[], from: number, to: number): string {
  let text = '';
  for (let i = from; i < to; i += 1) text += (i > from ? ',' : '') + messageText(messages[i] as CanonicalMessage);
  return text;
}

/** A canonical line in two parts: the prompt, which is all before the last assistant message, and the rest. */
interface Parts {
  readonly prompt: string;
  readonly rest: string;
  /** The prompt holds text: it says something of the example. */
  readonly hasPrompt: boolean;
}

const hasText = (messages: readonly CanonicalMessage[], to: number): boolean => {
  for (let i = 0; i < to; i += 1) if (messages[i]?.content !== '' || messages[i]?.calls.length) return true;
  return false;
};

function partsOf(example: CanonicalExample): Parts {
  const offer = offerText(example);
  if (example.kind === 'preference') {
    const { prompt, chosen, rejected } = example;
    return {
      prompt: `{${offer}"prompt":[${joined(prompt, 0, prompt.length)}],`,
      rest: `"chosen":[${joined(chosen, 0, chosen.length)}],"rejected":[${joined(rejected, 0, rejected.length)}]}`,
      hasPrompt: hasText(prompt, prompt.length),
    };
  }
  const { messages } = example;
  const last = messages.findLastIndex(({ role }) => role === 'assistant');
  return {
    prompt: `{${offer}"messages":[${joined(messages, 0, last)}${last > 0 ? ',' : ''}`,
    rest: `${joined(messages, last, messages.length)}]}`,
    hasPrompt: hasText(messages, last),
  };
}

/**
 * Writes examples in canonical form: one JSON object a line, UTF-8, LF, no spaces, keys in the order `tools`, `parallel_tool_calls`,
 * `messages` (or `prompt`, `chosen`, `rejected`), so that the prompt is the beginning of the line. Defaults are not written.
 */
export class CanonicalWriter {
  /** Hash of the last example's prompt; of the whole example where the prompt holds no text. */
  readonly promptHash = new Hash64();
  /** Hash of the last example. */
  readonly hash = new Hash64();
  /** Bytes written. */
  length = 0;
  private buffer: Buffer;
  private view: DataView;

  constructor(capacity: number) {
    this.buffer = Buffer.allocUnsafeSlow(capacity);
    this.view = new DataView(this.buffer.buffer);
  }

  /** Appends an example with its newline, and hashes it. Returns the bytes of the line. */
  write(example: CanonicalExample): number {
    const { prompt, rest, hasPrompt } = partsOf(example);
    const start = this.length;
    const line = prompt + rest;
    this.room(3 * line.length + 1);
    const end = start + this.buffer.write(line, start, 'utf8');
    const isAscii = end - start === line.length;
    const restAt = start + (isAscii ? prompt.length : Buffer.byteLength(prompt));
    this.buffer[end] = 0x0a;
    this.length = end + 1;
    this.hash.of(this.view, start, end);
    this.promptHash.of(this.view, start, hasPrompt ? restAt : end);
    return this.length - start;
  }

  /** Takes the last line back. */
  undo(bytes: number): void {
    this.length -= bytes;
  }

  /** Text of the last line, of which `bytes` says how long it is with its newline. */
  last(bytes: number): string {
    return this.buffer.toString('utf8', this.length - bytes, this.length - 1);
  }

  /** A copy of what was written, which is then forgotten. */
  take(): Buffer {
    const bytes = Buffer.allocUnsafeSlow(this.length);
    this.buffer.copy(bytes, 0, 0, this.length);
    this.length = 0;
    return bytes;
  }

  private room(bytes: number): void {
    if (this.length + bytes <= this.buffer.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(this.buffer.length * 2, this.length + bytes));
    this.buffer.copy(larger, 0, 0, this.length);
    this.buffer = larger;
    this.view = new DataView(larger.buffer);
  }
}
