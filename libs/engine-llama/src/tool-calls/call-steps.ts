import type { AnswerText, Reading } from './answer-text.js';
import type { CallFinder } from './call-family.js';
import { gbnfText } from './gbnf-text.js';

const LONGEST_NAME = 256;
/** Most characters between a name and the next mark. */
const LONGEST_GAP = 80;

/** One part of the text before the arguments of a call, in the order in which models write it. */
export type Step =
  /** A fixed text. */
  | { readonly is: 'text'; readonly text: string }
  /** An optional text. `written` = whether forced calls contain it. */
  | { readonly is: 'maybe'; readonly text: string; readonly written: boolean }
  | { readonly is: 'name' }
  /** The model's id after `mark`. `gbnf` = its form in forced calls; null = not written there. */
  | { readonly is: 'id'; readonly mark: string; readonly gbnf: string | null }
  /** Any short text up to and including this one; `gbnf` = its form in forced calls. */
  | { readonly is: 'until'; readonly text: string; readonly gbnf: string };

/** The step of the tool's name. */
export const NAME: Step = { is: 'name' };
/** The step of a fixed text. */
export const text = (value: string): Step => ({ is: 'text', text: value });
/** The step of an optional text. */
export const maybe = (value: string, written = true): Step => ({ is: 'maybe', text: value, written });

/** Name and id from the steps before the arguments. */
export interface CallHead {
  readonly name: string;
  readonly id: string | undefined;
}

/** Reads steps in order, skipping white space between them. @returns null when one is missing or the tool is not offered. */
export function* readSteps(answer: AnswerText, sink: CallFinder, steps: readonly Step[]): Reading<CallHead | null> {
  let [name, id]: [string | null, string | undefined] = [null, undefined];
  for (const step of steps) {
    if (!isSpace(step)) yield* answer.skipSpace();
    if (step.is === 'name') {
      name = yield* answer.word(/[\w.-]/, LONGEST_NAME);
      if (name === null || !sink.offers(name)) return null;
    } else if (step.is === 'id') id = yield* readId(answer, step.mark);
    else if (!(yield* readMark(answer, step))) return null;
  }
  return name === null ? null : { name, id };
}

function* readId(answer: AnswerText, mark: string): Reading<string | undefined> {
  if (mark !== '' && !(yield* answer.literal(mark))) return undefined;
  const id = yield* answer.word(/[\w.:-]/, LONGEST_NAME);
  return id === null || id === '' ? undefined : id;
}

/** @returns false when a required mark is missing. */
function* readMark(answer: AnswerText, step: Extract<Step, { text: string }>): Reading<boolean> {
  if (step.is === 'until') return yield* upTo(answer, step.text);
  const isThere = yield* answer.literal(isSpace(step) ? step.text : step.text.trim());
  return isThere || step.is === 'maybe';
}

/** Whether a step is white space only, which is then required. */
const isSpace = (step: Step): boolean => step.is === 'text' && step.text.trim() === '';

function* upTo(answer: AnswerText, mark: string): Reading<boolean> {
  for (let length = 0; length < LONGEST_GAP; length += 1) {
    if (yield* answer.literal(mark)) return true;
    if ((yield* answer.next()) === '') return false;
  }
  return false;
}

/** GBNF of steps for one tool. */
export const stepsRule = (steps: readonly Step[], name: string): string =>
  steps
    .map((step) => stepRule(step, name))
    .filter((part) => part !== '')
    .join(' ');

function stepRule(step: Step, name: string): string {
  switch (step.is) {
    case 'name':
      return gbnfText(name);
    case 'id':
      return step.gbnf === null ? '' : [step.mark === '' ? '' : gbnfText(step.mark), step.gbnf].filter((part) => part !== '').join(' ');
    case 'until':
      return step.gbnf;
    case 'maybe':
      return step.written ? gbnfText(step.text) : '';
    default:
      return gbnfText(step.text);
  }
}

/** Texts of steps that may be control tokens. */
export const textsOf = (steps: readonly Step[]): string[] =>
  steps.flatMap((step) => {
    if (step.is === 'name') return [];
    return step.is === 'id' ? [step.mark] : [step.text, ...(step.is === 'until' ? [step.gbnf] : [])];
  });
