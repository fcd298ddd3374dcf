import { type CanonicalMessage, type JsonObject, type PreferenceExample, isObject } from '../example.js';
import { sideOf } from './conversations.js';
import { checkOrder, messagesOf } from './messages.js';
import type { Reading } from './reading.js';
import { checkCalls, offerOf } from './tools.js';

/** A pair as it was read, with the names of its lists in the file. */
interface Pair {
  readonly prompt: readonly CanonicalMessage[];
  readonly chosen: readonly CanonicalMessage[];
  readonly rejected: readonly CanonicalMessage[];
  readonly names: readonly [prompt: string, chosen: string];
}

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

function commonLength(a: readonly CanonicalMessage[], b: readonly CanonicalMessage[]): number {
  let length = 0;
  while (length < a.length && length < b.length && same(a[length], b[length])) length += 1;
  return length;
}

function finished(reading: Reading, pair: Pair, offer: ReturnType<typeof offerOf>): PreferenceExample {
  const { prompt, chosen, rejected, names } = pair;
  const at = (i: number): string => (i < prompt.length ? `${names[0]}[${i}]` : `${names[1]}[${i - prompt.length}]`);
  if (!reading.log.refused) {
    if (![chosen, rejected].every((side) => side.some(({ role }) => role === 'assistant'))) reading.log.report('no_assistant', '');
    else if (same(chosen, rejected)) reading.log.report('preference_equal', '');
    else {
      checkOrder(reading, [...prompt, ...chosen], at);
      checkCalls(reading, [...prompt, ...chosen], offer.names, at);
      checkCalls(reading, rejected, offer.names, (i) => `rejected[${i}]`);
    }
  }
  const { tools, parallelToolCalls } = offer;
  return { kind: 'preference', tools, parallelToolCalls, prompt, chosen, rejected };
}

/** OpenAI's `input`, `preferred_output`, `non_preferred_output`. */
export function openaiPreferenceOf(reading: Reading, value: JsonObject): PreferenceExample | null {
  const input = isObject(value['input']) ? value['input'] : {};
  const offer = offerOf(reading, input['tools'], input['parallel_tool_calls'], 'input.tools');
  const prompt = messagesOf(reading, input['messages'], { name: 'input.messages', least: 1 });
  const chosen = messagesOf(reading, value['preferred_output'], { name: 'preferred_output', least: 1 });
  const rejected = messagesOf(reading, value['non_preferred_output'], { name: 'non_preferred_output', least: 1 });
  if (!prompt || !chosen || !rejected) return null;
  return finished(reading, { prompt, chosen, rejected, names: ['input.messages', 'preferred_output'] }, offer);
}

/** Prompt and answers where the answers hold the whole conversation, as many published sets have it; null = they differ in the prompt. */
function apart(
  prompt: readonly CanonicalMessage[] | null,
  sides: readonly [CanonicalMessage[], CanonicalMessage[]],
): Omit<Pair, 'names'> | null {
  const [chosen, rejected] = sides;
  if (prompt) {
    // Repeated at the head of both answers, the prompt is no part of them.
    const repeats = sides.map((side) => commonLength(side, prompt) === prompt.length);
    if (repeats[0] !== repeats[1]) return null;
    const from = repeats[0] ? prompt.length : 0;
    return { prompt, chosen: chosen.slice(from), rejected: rejected.slice(from) };
  }
  const shared = commonLength(chosen, rejected);
  // Equal conversations end with the answer: all but their last message is the prompt.
  const length = Math.min(shared, chosen.length - 1, rejected.length - 1);
  if (length <= 0) return null;
  return { prompt: chosen.slice(0, length), chosen: chosen.slice(length), rejected: rejected.slice(length) };
}

/** TRL's `prompt`, `chosen`, `rejected`: text or messages; without `prompt`, it is what both answers begin with. */
export function trlPreferenceOf(reading: Reading, value: JsonObject): PreferenceExample | null {
  const offer = offerOf(reading, value['tools'], value['parallel_tool_calls'], 'tools');
  const chosen = sideOf(reading, value['chosen'], 'chosen', 'assistant');
  const rejected = sideOf(reading, value['rejected'], 'rejected', 'assistant');
  const asText = typeof value['chosen'] === 'string' || typeof value['rejected'] === 'string';
  const hasPrompt = value['prompt'] != null || asText;
  const prompt = hasPrompt ? sideOf(reading, value['prompt'], 'prompt', 'user') : null;
  if (!chosen || !rejected || (hasPrompt && !prompt)) return null;
  if (reading.log.refused) return null;
  const pair = apart(prompt, [chosen, rejected]);
  if (pair) return finished(reading, { ...pair, names: ['prompt', 'chosen'] }, offer);
  reading.log.report('preference_prompt', '');
  return null;
}
