import type { ConsoleReply, ConsoleRequest, UsageRow } from '@slipway/contracts';
import { ConsoleError } from '../api/console-error.js';

const DAY_MS = 86_400_000;

type Question = ConsoleRequest<'usage/query'>;
type Ask = (question: Question) => Promise<ConsoleReply<'usage/query'>>;

const isTooMuch = (error: unknown): boolean => error instanceof ConsoleError && error.code === 'invalid_request' && error.param === 'step';

/** All rows by day of a range, however many there are: what is too much for one answer is asked for in halves. */
export async function readUsageByDay(ask: Ask, question: Omit<Question, 'step'>): Promise<readonly UsageRow[]> {
  try {
    return (await ask({ ...question, step: 'day' })).rows;
  } catch (error) {
    const [from, to] = [Date.parse(question.from), Date.parse(question.to)];
    const middle = from + Math.round((to - from) / DAY_MS / 2) * DAY_MS;
    // The middle is the begin of a day, so that no day comes in two parts.
    const split = new Date(middle - (middle % DAY_MS)).toISOString();
    if (!isTooMuch(error) || Date.parse(split) <= from || Date.parse(split) >= to) throw error;
    const halves = [await readUsageByDay(ask, { ...question, to: split }), await readUsageByDay(ask, { ...question, from: split })];
    return halves.flat();
  }
}
