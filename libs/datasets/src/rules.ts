import type { IssueSeverity } from '@slipway/contracts';

/** A rule: how heavy, and its message from the line and what else it names. */
interface Rule<Args extends readonly (string | number)[]> {
  readonly severity: IssueSeverity;
  readonly message: (line: number, ...args: Args) => string;
}

type Args = readonly (string | number)[];
const error = <A extends Args = []>(message: (line: number, ...args: A) => string): Rule<A> => ({ severity: 'error', message });
const warning = <A extends Args = []>(message: (line: number, ...args: A) => string): Rule<A> => ({ severity: 'warning', message });

const hex = (value: number, digits: number): string => value.toString(16).toUpperCase().padStart(digits, '0');

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

/** Where a message stands in an example, such as `messages[2]`. */
type At = string;

const listTooShort = (n: number, list: string, least: number): string =>
  `Line ${n}: "${list}" must be a list of at least ${counted(least, 'message')}.`;

/** All rules that a file is checked by. The messages are part of the product: docs and tests quote them. */
export const RULES = {
  empty_file: error(() => 'The file holds no examples.'),
  not_utf8: error(
    (n, byte: number, position: number) =>
      `Line ${n} is not UTF-8: byte 0x${hex(byte, 2)} at position ${position}. Save the file as UTF-8.`,
  ),
  bom: warning(() => 'The file begins with a byte order mark. It was left out.'),
  crlf: warning((_, count: number) => `${counted(count, 'line')} ended with CRLF and became LF.`),
  blank_line: warning((_, count: number) => `${counted(count, 'blank line')} left out.`),
  not_json: error(
    (n, what: string, column: number) => `Line ${n} is not JSON: ${what} at column ${column}. Each line must be one complete object.`,
  ),
  not_csv: error((n, what: string, column: number) => `Line ${n} is not CSV: ${what} at column ${column}.`),
  csv_columns: error((n, fields: number, columns: number) => `Line ${n} has ${fields} fields; the first line names ${columns}.`),
  missing_column: error((n, column: string) => `Line ${n} names no column "${column}".`),
  json_array: error(() => 'The file is one JSON array. Write one object per line; "Convert" does it for you.'),
  not_object: error((n, what: string) => `Line ${n} holds ${what}, not an object.`),
  line_too_long: error((n, bound: string) => `Line ${n} is longer than ${bound}.`),
  too_deep: error((n, levels: number) => `Line ${n} nests deeper than ${levels} levels.`),
  duplicate_key: error((n, key: string) => `Line ${n} names "${key}" twice.`),
  unknown_format: error((n, has: string) => `Line ${n} ${has}`),
  two_formats: error((n, a: string, b: string) => `Line ${n} fits two formats (${a}, ${b}); remove one.`),
  missing_messages: error(listTooShort),
  empty_messages: error(listTooShort),
  bad_role: error((n, at: At, role: string, known: string) => `Line ${n}, ${at}: role "${role}" is none of ${known}.`),
  missing_content: error((n, at: At) => `Line ${n}, ${at}: an assistant message needs content or tool_calls.`),
  empty_assistant: error((n, at: At) => `Line ${n}, ${at}: an assistant message needs content or tool_calls.`),
  content_type: error((n, at: At) => `Line ${n}, ${at} must be text. Images are not supported by this base.`),
  system_not_first: warning((n) => `Line ${n}: the system message is not the first.`),
  order: warning((n, role: string) => `Line ${n}: two ${role} messages in a row.`),
  no_assistant: error((n) => `Line ${n} has no assistant message to learn from.`),
  no_learned_turn: error((n) => `Line ${n}: every assistant message has weight 0.`),
  bad_weight: error((n, at: At) => `Line ${n}, ${at}.weight must be 0 or 1.`),
  ends_with_user: warning(
    (n, role: string) => `Line ${n} ends with a ${role} message; what follows the last assistant message is not used.`,
  ),
  tool_call_shape: error((n, at: At, what: string) => `Line ${n}: ${at} is not ${what}.`),
  tool_unknown: error((n, at: At, name: string) => `Line ${n}: ${at} names "${name}", which "tools" does not offer.`),
  tool_unanswered: warning((n, id: string) => `Line ${n}: call "${id}" has no tool message.`),
  tools_shape: error((n, at: At, what: string) => `Line ${n}: ${at} is not ${what}.`),
  control_token: warning((n, token: string) => `Line ${n} contains "${token}": it will be learned as text, not as a marker.`),
  preference_equal: error((n) => `Line ${n}: both answers are the same.`),
  preference_prompt: error((n) => `Line ${n}: chosen and rejected start from different prompts.`),
  lone_surrogate: error((n) => `Line ${n} holds half a UTF-16 pair.`),
  control_char: warning((n, codePoint: number) => `Line ${n} holds an invisible character U+${hex(codePoint, 4)}.`),
  duplicate: warning((n, first: number) => `Line ${n} repeats line ${first}.`),
  conflict: warning((n, first: number) => `Line ${n} answers the prompt of line ${first} differently.`),
  too_long: warning(
    (n, tokens: number, context: number) =>
      `Line ${n} has ${tokens} tokens; the base takes ${context}. Choose: leave out (default), cut at the start, or refuse.`,
  ),
  secret_like: warning((n, kind: string) => `Line ${n} looks as if it held a credential (${kind}).`),
  too_few: warning((_, examples: number) => `${counted(examples, 'example')}. Below 10 a model mostly memorises.`),
} satisfies Record<string, { severity: IssueSeverity; message: (line: number, ...args: never[]) => string }>;

/** The name of a rule. */
export type RuleName = keyof typeof RULES;
/** What a rule's message names beside the line. */
export type RuleArgs<R extends RuleName> =
  Parameters<(typeof RULES)[R]['message']> extends [number, ...infer A extends (string | number)[]] ? A : [];

/** Rules that can warn about an example, in the order of their bits. Append only: stored numbers stand for them. */
const WARNING_BITS: readonly RuleName[] = [
  'system_not_first',
  'order',
  'ends_with_user',
  'tool_unanswered',
  'control_token',
  'control_char',
  'duplicate',
  'conflict',
  'too_long',
  'secret_like',
];

/** The bit of a rule in `CanonicalBatch.warnings`; 0 for rules that warn about no single example. */
export const bitOf = (rule: RuleName): number => {
  const index = WARNING_BITS.indexOf(rule);
  return index < 0 ? 0 : 1 << index;
};

/** Names of the rules that a number of `CanonicalBatch.warnings` stands for. */
export const rulesOf = (warnings: number): string[] => WARNING_BITS.filter((_, bit) => warnings & (1 << bit));

const SHOWN_CHARS = 40;

/** A name out of a file as messages show it: cut, on one line, invisible characters as escapes. */
export function shown(name: string): string {
  const cut = name.length > SHOWN_CHARS ? `${name.slice(0, SHOWN_CHARS)}…` : name;
  return cut.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16).toUpperCase()}}`);
}

/** What a JSON value is, for people. */
export function kindOfValue(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'string') return 'a text';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
