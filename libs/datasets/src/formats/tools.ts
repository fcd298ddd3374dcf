import { type CanonicalCall, type CanonicalMessage, type JsonObject, type Offer, isObject } from '../example.js';
import { shown } from '../rules.js';
import { type Reading, nestedJson, textOf } from './reading.js';

const NO_CALLS: readonly CanonicalCall[] = [];
const NO_TOOLS: Offer & { readonly names: ReadonlySet<string> } = { tools: [], parallelToolCalls: null, names: new Set() };

/** JSON of the arguments of a call; null = they are no object, undefined = their fault is reported. */
function argumentsOf(reading: Reading, given: unknown, path: string): string | null | undefined {
  if (isObject(given)) return textOf(reading, given);
  if (typeof given !== 'string') return null;
  const parsed = nestedJson(reading, given, path);
  if (parsed === 'reported') return undefined;
  if (!parsed || !isObject(parsed.value)) return null;
  return parsed.texts.get(parsed.value) ?? JSON.stringify(parsed.value);
}

function callOf(reading: Reading, raw: unknown, at: string, path: string): CanonicalCall | null {
  const wrong = (part: string, what: string): null => {
    reading.log.report('tool_call_shape', `${path}${part}`, `${at}${part}`, what);
    return null;
  };
  if (!isObject(raw)) return wrong('', 'an object');
  if (raw['id'] != null && typeof raw['id'] !== 'string') return wrong('.id', 'text');
  const call = raw['function'];
  if (!isObject(call)) return wrong('.function', 'an object');
  if (typeof call['name'] !== 'string' || call['name'] === '') return wrong('.function.name', 'text');
  const text = argumentsOf(reading, call['arguments'] ?? {}, `${path}.function.arguments`);
  if (text === null) return wrong('.function.arguments', 'a JSON object');
  return text === undefined ? null : { id: raw['id'] ?? null, name: call['name'], arguments: text };
}

/** The calls of an assistant message; faults are reported. */
export function callsOf(reading: Reading, raw: unknown, at: string): readonly CanonicalCall[] {
  if (raw == null) return NO_CALLS;
  if (!Array.isArray(raw)) {
    reading.log.report('tool_call_shape', `${at}.tool_calls`, 'tool_calls', 'a list');
    return NO_CALLS;
  }
  const calls: CanonicalCall[] = [];
  for (const [j, item] of raw.entries()) {
    const call = callOf(reading, item, `tool_calls[${j}]`, `${at}.tool_calls[${j}]`);
    if (call) calls.push(call);
  }
  return calls;
}

/** The name and JSON of a tool, which may stand bare or inside of `function`. */
function toolOf(reading: Reading, raw: unknown, at: string): { name: string; text: string } | null {
  const wrapped = isObject(raw) && isObject(raw['function']);
  const tool = wrapped ? (raw['function'] as JsonObject) : raw;
  if (!isObject(raw) || !isObject(tool) || typeof tool['name'] !== 'string' || tool['name'] === '') {
    const [part, what] = isObject(raw) ? [wrapped ? '.function.name' : '.function', wrapped ? 'text' : 'an object'] : ['', 'an object'];
    reading.log.report('tools_shape', `${at}${part}`, `${at}${part}`, what);
    return null;
  }
  const text = textOf(reading, raw);
  return { name: tool['name'], text: wrapped ? text : `{"type":"function","function":${text}}` };
}

/** What an example offers to call, with the names; faults are reported at `at`, such as `tools`. */
export function offerOf(reading: Reading, raw: unknown, parallel: unknown, at: string): Offer & { readonly names: ReadonlySet<string> } {
  const parallelToolCalls = typeof parallel === 'boolean' ? parallel : null;
  if (raw == null || raw === '') return parallelToolCalls === null ? NO_TOOLS : { ...NO_TOOLS, parallelToolCalls };
  const nested = typeof raw === 'string' ? nestedJson(reading, raw, at) : null;
  if (nested === 'reported') return NO_TOOLS;
  const list = nested ? nested.value : raw;
  if (!Array.isArray(list)) {
    reading.log.report('tools_shape', at, at, 'a list of tools');
    return NO_TOOLS;
  }
  const own: Reading = nested ? { ...reading, texts: nested.texts } : reading;
  const tools = list.flatMap((item, i) => toolOf(own, item, `${at}[${i}]`) ?? []);
  return { tools: tools.map((tool) => tool.text), parallelToolCalls, names: new Set(tools.map((tool) => tool.name)) };
}

/** Reports calls that no tool is offered for, and calls without an answer before the conversation goes on. */
export function checkCalls(
  reading: Reading,
  messages: readonly CanonicalMessage[],
  names: ReadonlySet<string>,
  at: (i: number) => string,
): void {
  for (const [i, { calls }] of messages.entries()) {
    if (calls.length === 0) continue;
    for (const [j, { name }] of calls.entries()) {
      if (!names.has(name)) reading.log.report('tool_unknown', `${at(i)}.tool_calls[${j}].function.name`, `tool_calls[${j}]`, shown(name));
    }
    let next = i + 1;
    while (messages[next]?.role === 'tool') next += 1;
    const answers = messages.slice(i + 1, next);
    // A call that ends the conversation is what is to be learned.
    if (i + 1 === messages.length) continue;
    const ids = new Set(answers.map((answer) => answer.callId));
    const unanswered = calls.find((call, j) => (call.id === null || ids.has(null) ? j >= answers.length : !ids.has(call.id)));
    if (unanswered) reading.log.report('tool_unanswered', `${at(i)}.tool_calls`, shown(unanswered.id ?? unanswered.name));
  }
}
