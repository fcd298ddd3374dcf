import type { LogLine } from '@slipway/contracts';
import { readCursor, writeCursor } from './page-cursor.js';

/** Most lines of one response. */
export const LINES_MAX = 200;
const LINES_DEFAULT = 100;

interface LineQuery {
  readonly since?: string | undefined;
  readonly contains?: string | undefined;
  readonly cursor?: string | undefined;
  readonly limit?: number | undefined;
}

/** A timestamp, and how many lines with it were returned before. */
interface Position {
  readonly at: number;
  readonly given: number;
}

function positionOf(cursor: string | undefined): Position | null {
  const [at, given] = (readCursor(cursor, /^\d{1,15}:\d{1,6}$/) ?? '').split(':');
  return at === undefined || given === undefined ? null : { at: Number(at), given: Number(given) };
}

function after<L extends LogLine>(lines: readonly L[], { at, given }: Position): L[] {
  let sameMoment = 0;
  return lines.filter((line) => line.at > at || (line.at === at && (sameMoment += 1) > given));
}

/**
 * Selects lines, oldest first: the newest ones, or with `since` or a cursor those that follow it. The returned cursor continues
 * after the last line and stays valid while further lines are written.
 * @throws ServiceError `invalid_request` for an invalid cursor
 */
export function pickLines<L extends LogLine>(
  lines: readonly L[],
  { since, contains, cursor, limit = LINES_DEFAULT }: LineQuery,
): { picked: readonly L[]; cursor: string | undefined } {
  const position = positionOf(cursor);
  const from = since === undefined ? 0 : Date.parse(since);
  const rest = (position ? after(lines, position) : [...lines]).filter(({ at }) => at >= from);
  const wanted = contains?.toLowerCase();
  const matching = wanted === undefined ? rest : rest.filter(({ text }) => text.toLowerCase().includes(wanted));
  const isFollowed = position !== null || since !== undefined;
  const picked = isFollowed ? matching.slice(0, limit) : matching.slice(-limit);
  const last = isFollowed && matching.length > picked.length ? picked.at(-1) : rest.at(-1);
  if (!last) return { picked, cursor };
  const given = lines.slice(0, lines.indexOf(last) + 1).filter(({ at }) => at === last.at).length;
  return { picked, cursor: writeCursor(`${last.at}:${given}`) };
}
