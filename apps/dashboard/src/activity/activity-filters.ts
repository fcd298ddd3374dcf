import type { ConsoleRequest } from '@slipway/contracts';
import type { ACTIVITY_SEARCH } from '../searches.js';
import { boundsOf } from '../url-state/range-search.js';

export type ActivityState = ReturnType<typeof ACTIVITY_SEARCH.read>;
export type AuditQuestion = Omit<ConsoleRequest<'audit/list'>, 'before'>;

const HOUR_MS = 3_600_000;
const OBJECT = /^[a-z_]{1,32}:[A-Za-z0-9._:-]{1,95}$/;
const ACTION = /^[a-z_]{1,32}(?:\.[a-z_]{1,31})?$/;
const ACTOR = /^(user|key|ops)(?::([1-9]\d{0,9}))?$/;

/** An actor as the address holds it: `user:3`, `key:9`, `ops`. Undefined = it names none. */
function actorIn(text: string): AuditQuestion['by'] {
  const [, kind, id] = ACTOR.exec(text) ?? [];
  if (kind !== 'user' && kind !== 'key' && kind !== 'ops') return undefined;
  return { kind, ...(id !== undefined && { id: Number(id) }) };
}

/**
 * What a log is asked by. Filters that it would refuse are left out: links are typed by hand. A preset begins with a whole hour, so
 * that the same question is asked for an hour.
 */
export function questionOf(
  state: Pick<ActivityState, 'actor' | 'action' | 'object' | 'range' | 'from' | 'to'>,
  now: number,
): AuditQuestion {
  const { from, to } = boundsOf(state, Math.floor(now / HOUR_MS) * HOUR_MS);
  const by = actorIn(state.actor);
  return {
    from: new Date(from).toISOString(),
    ...(state.to !== null && { to: new Date(to).toISOString() }),
    ...(OBJECT.test(state.object) && { object: state.object }),
    ...(ACTION.test(state.action) && { action: state.action }),
    ...(by && { by }),
  };
}
