import type { TemplateInput } from './chat-template.js';
import type { ControlTokenGuard, UserText } from './control-token-guard.js';

/** Words that templates compare, such as roles and JSON schema types. Only quotes or blanks are adjacent to them. */
const WORD = /^[\w.$-]*$/;
/** Fields that templates write adjacent to their own marks. */
const BESIDE_MARKS = new Set(['content', 'reasoning_content', 'reasoning', 'thinking']);

interface Guarded {
  readonly input: TemplateInput;
  /** Splits the text rendered from `input` for the tokenizer. */
  readonly split: (rendered: string) => string[];
}

/** Guards every text of a request, including names, keys and values of schemas and arguments. */
export function guardInput(input: TemplateInput, guard: ControlTokenGuard): Guarded {
  const texts: UserText[] = [];
  mapTexts(input, '', (text, edges) => {
    texts.push({ text, edges });
    return text;
  });
  const guarded = guard.guard(texts);
  let next = 0;
  const marked = mapTexts(input, '', () => guarded.texts[next++] ?? '');
  return { input: marked as TemplateInput, split: guarded.split };
}

/** UTF-8 bytes of all texts of a request. */
export function bytesOf(input: TemplateInput): number {
  let bytes = 0;
  mapTexts(input, '', (text) => {
    bytes += Buffer.byteLength(text);
    return text;
  });
  return bytes;
}

/** Replaces every text in a value, including keys, always in the same order. */
function mapTexts(value: unknown, key: string, map: (text: string, edges: boolean) => string): unknown {
  if (typeof value === 'string') return map(value, BESIDE_MARKS.has(key) || !WORD.test(value));
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, key, map));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [map(name, !WORD.test(name)), mapTexts(item, name, map)]));
}
