/**
 * How an answer is compared with its reference: as `text`, or where several texts are right, by what must be the same in both.
 * `number`: the last whole number. `mention`: the answer contains the reference, but for its full stop. `words`: the words in their
 * order, whatever commas and line breaks part them. `keys`: the keys of a JSON object in their order. `items`: how many a list has.
 */
export const ANSWER_CHECKS = ['text', 'number', 'mention', 'words', 'keys', 'items'] as const;
/** A way to compare an answer with its reference. */
export type AnswerCheck = (typeof ANSWER_CHECKS)[number];

const lastNumber = (text: string): string | undefined => text.match(/-?\d+/g)?.at(-1);
const words = (text: string): string =>
  text
    .trim()
    .split(/[\s,]+/)
    .join(' ');
const items = (text: string): number => text.split(/\n|, | and /).length;

/** Keys of a JSON object, joined; undefined for any other text. */
function keys(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.keys(value).join() : undefined;
  } catch {
    return undefined;
  }
}

const SAME: Readonly<Record<AnswerCheck, (answer: string, reference: string) => boolean>> = {
  text: (answer, reference) => answer === reference,
  number: (answer, reference) => lastNumber(answer) === lastNumber(reference),
  mention: (answer, reference) => answer.includes(reference.replace(/\.$/, '')),
  words: (answer, reference) => words(answer) === words(reference),
  keys: (answer, reference) => keys(answer) !== undefined && keys(answer) === keys(reference),
  items: (answer, reference) => items(answer) === items(reference),
};

/** Whether an answer is right beside its reference. Space around either does not count. */
export const isRight = (answer: string, reference: string, check: AnswerCheck): boolean => SAME[check](answer.trim(), reference.trim());
