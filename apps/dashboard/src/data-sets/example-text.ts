/** One message of an example. */
export interface ExampleMessage {
  readonly role: string;
  readonly content: string;
  /** Tool calls as JSON, one text for each; empty for none. */
  readonly calls: readonly string[];
  /** The model learns to say it. */
  readonly isLearned: boolean;
}

/** A part of an example under its own heading: the conversation, or one of two answers. */
export interface ExamplePart {
  /** Null for the conversation itself. */
  readonly title: 'Preferred answer' | 'Rejected answer' | null;
  readonly messages: readonly ExampleMessage[];
}

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
}

/** @param learns whether answers of the assistant are learned here, unless a weight says otherwise */
function messageOf(value: unknown, learns: boolean): ExampleMessage[] {
  if (!isObject(value)) return [];
  const role = textOf(value['role']);
  const calls = Array.isArray(value['tool_calls']) ? value['tool_calls'].map((call) => callText(call)) : [];
  return [{ role, content: textOf(value['content']), calls, isLearned: learns && role === 'assistant' && value['weight'] !== 0 }];
}

function callText(call: unknown): string {
  const named = isObject(call) && isObject(call['function']) ? call['function'] : null;
  if (named === null) return textOf(call);
  return `${textOf(named['name'])}(${textOf(named['arguments'])})`;
}

const messagesIn = (value: unknown, learns: boolean): ExampleMessage[] => {
  if (typeof value === 'string') return [{ role: learns ? 'assistant' : 'user', content: value, calls: [], isLearned: learns }];
  return Array.isArray(value) ? value.flatMap((one) => messageOf(one, learns)) : [];
};

/** The parts of an example; null where it is no JSON object of a known shape, such as one that was cut. */
export function readExample(json: string): readonly ExamplePart[] | null {
  const value = parse(json);
  if (value === null) return null;
  if (Array.isArray(value['messages'])) return [{ title: null, messages: messagesIn(value['messages'], true) }];
  const input = isObject(value['input']) ? value['input']['messages'] : value['prompt'];
  const [chosen, rejected] = [value['preferred_output'] ?? value['chosen'], value['non_preferred_output'] ?? value['rejected']];
  if (input === undefined || chosen === undefined || rejected === undefined) return null;
  return [
    { title: null, messages: messagesIn(input, false) },
    { title: 'Preferred answer', messages: messagesIn(chosen, true) },
    { title: 'Rejected answer', messages: messagesIn(rejected, true).map((one) => ({ ...one, isLearned: false })) },
  ];
}

function parse(json: string): Json | null {
  try {
    const value: unknown = JSON.parse(json);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** The example that a person wrote; a text says what is wrong with it. */
export function parseExample(text: string): Json | string {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : 'An example is one JSON object.';
  } catch (error) {
    return `This is not JSON: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** An example with line ends, for people who edit it. */
export const prettyExample = (json: string): string => JSON.stringify(JSON.parse(json), null, 2);

interface Answered {
  readonly system: string;
  readonly user: string;
  readonly assistant: string;
  readonly rejected?: string | undefined;
}

const asking = ({ system, user }: Answered): Json[] => [
  ...(system.trim() === '' ? [] : [{ role: 'system', content: system }]),
  { role: 'user', content: user },
];

/** An example of one question: a conversation to learn, or a pair of answers where there is a worse one. */
export const playgroundExample = (answered: Answered): Json => {
  const { assistant, rejected } = answered;
  const answer = (content: string): Json[] => [{ role: 'assistant', content }];
  if (rejected !== undefined) return { prompt: asking(answered), chosen: answer(assistant), rejected: answer(rejected) };
  return { messages: [...asking(answered), ...answer(assistant)] };
};
