import type { LogLine } from '@slipway/contracts';
import { readCursor, writeCursor } from './page-cursor.js';

/** Lines of one answer. */
export const LINES_MAX = 200;
const LINES_DEFAULT = 100;

interface Asked {
  readonly since?: string | undefined;
  readonly contains?: string | undefined;
  readonly cursor?: string | undefined;
  readonly limit?: number | undefined;
}

/** A moment, and how many lines of that moment were given. */
interface Place {
  readonly at: number;
  readonly given: number;
}

function placeOf(cursor: string | undefined): Place | null {
  const [at, given] = (readCursor(cursor, /^\d{1,15}:\d{1,6}$/) ?? '').split(':');
  return at === undefined || given === undefined ? null : { at: Number(at), given: Number(given) };
}

function after<L extends LogLine>(lines: readonly L[], { at, given }: Place): L[] {
  let sameMoment = 0;
  return lines.filter((line) => line.at > at || (line.at === at && (sameMoment += 1) > given));
}

/**
 * Picks from all lines, oldest first, those that were asked for: the newest, or with a beginning those that follow it. The
 * cursor stands behind the last one and goes on working while lines are written.
 * @throws ServiceError `invalid_request` for a cursor that is none
 */
export function pickLines<L extends LogLine>(
  lines: readonly L[],
  { since, contains, cursor, limit = LINES_DEFAULT }: Asked,
): { picked: readonly L[]; cursor: string | undefined } {
  const place = placeOf(cursor);
  const from = since === undefined ? 0 : Date.parse(since);
  const rest = (place ? after(lines, place) : [...lines]).filter(({ at }) => at >= from);
  const wanted = contains?.toLowerCase();
  const matching = wanted === undefined ? rest : rest.filter(({ text }) => text.toLowerCase().includes(wanted));
  const isFollowed = place !== null || since !== undefined;
  const picked = isFollowed ? matching.slice(0, limit) : matching.slice(-limit);
  const last = isFollowed && matching.length > picked.length ? picked.at(-1) : rest.at(-1);
  if (!last) return { picked, cursor };
  const given = lines.slice(0, lines.indexOf(last) + 1).filter(({ at }) => at === last.at).length;
  return { picked, cursor: writeCursor(`${last.at}:${given}`) };
}
