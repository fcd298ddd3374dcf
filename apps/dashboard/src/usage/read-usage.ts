import type { ConsoleReply, ConsoleRequest } from '@slipway/contracts';
import { ConsoleError } from '../api/console-error.js';
import { STEP_MS } from '../url-state/range-steps.js';

export type UsageQuestion = ConsoleRequest<'usage/query'>;
export type UsageAnswer = ConsoleReply<'usage/query'>;
type Ask = (question: UsageQuestion) => Promise<UsageAnswer>;

const isTooMuch = (error: unknown): boolean => error instanceof ConsoleError && error.code === 'invalid_request' && error.param === 'step';

/**
 * All rows of a question, in their order: what is too much for one answer is asked for in halves.
 * @throws ConsoleError also where one step alone is too much
 */
export async function readUsage(ask: Ask, question: UsageQuestion): Promise<UsageAnswer> {
  try {
    return await ask(question);
  } catch (error) {
    const middle = isTooMuch(error) ? middleOf(question) : null;
    if (middle === null) throw error;
    const first = await readUsage(ask, { ...question, to: middle });
    const second = await readUsage(ask, { ...question, from: middle });
    return { ...second, rows: [...first.rows, ...second.rows] };
  }
}

/** The begin of the step in the middle, so that no step comes in two parts; null where there is one step. */
function middleOf({ from, to, step }: UsageQuestion): string | null {
  if (step === 'total') return null;
  const [start, end, size] = [Date.parse(from), Date.parse(to), STEP_MS[step]];
  const middle = Math.floor((start + Math.round((end - start) / size / 2) * size) / size) * size;
  return middle <= start || middle >= end ? null : new Date(middle).toISOString();
}
