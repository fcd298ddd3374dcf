import { isDeepStrictEqual } from 'node:util';
import type { Grader } from '@slipway/contracts';
import { textRepeatsItself } from '@slipway/datasets';
import type { AnsweredCall, Spoken } from './conversation.js';

/** An answer of a deployment. */
export interface Answer extends Spoken {
  /** Why it ended; `length` = it was cut. */
  readonly finish: string | null;
}

type Of<K extends Grader['kind']> = Extract<Grader, { kind: K }>;
/** Graders whose expressions and schemas may take any time, and run in a thread. */
export type ThreadGrader = Of<'regex'> | Of<'json_schema'>;
/** Graders that decide at once. */
export type PlainGrader = Exclude<Grader, ThreadGrader | Of<'judge'> | Of<'people'>>;

const folded = (text: string, ignoresCase: boolean | undefined): string => (ignoresCase === true ? text.toLowerCase() : text);

const GRADES: { readonly [K in PlainGrader['kind']]: (grader: Of<K>, answer: Answer, reference: Spoken) => boolean } = {
  exact: ({ ignore_case: ignores }, { text }, reference) => folded(text.trim(), ignores) === folded(reference.text.trim(), ignores),
  contains: ({ text: wanted, ignore_case: ignores }, { text }, reference) =>
    folded(text, ignores).includes(folded(wanted ?? reference.text.trim(), ignores)),
  tool_call: (_, { calls }, reference) => isDeepStrictEqual(calls.map(parsedCall), reference.calls.map(parsedCall)),
  degenerate: (_, { text, finish }, reference) => finish !== 'length' && (!textRepeatsItself(text) || textRepeatsItself(reference.text)),
  length: ({ min = 0, max = Number.POSITIVE_INFINITY }, { text }) => {
    const { length } = Array.from(text);
    return length >= min && length <= max;
  },
};

/** Whether an answer passes. */
export const grade = <G extends PlainGrader>(grader: G, answer: Answer, reference: Spoken): boolean =>
  (GRADES[grader.kind] as (grader: G, answer: Answer, reference: Spoken) => boolean)(grader, answer, reference);

/** Arguments by value: the order of keys and the spelling of numbers say nothing. */
function parsedCall({ name, arguments: given }: AnsweredCall): { name: string; given: unknown } {
  try {
    return { name, given: JSON.parse(given) };
  } catch {
    return { name, given };
  }
}
