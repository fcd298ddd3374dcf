import type { Actor, ChangedBy, KeyId, UserId } from '@slipway/contracts';

/** Who did something, as tables store it. */
export interface ActorColumns {
  readonly actor: ChangedBy['actor'];
  readonly actor_id: number | null;
  readonly actor_name: string | null;
}

function numberOf(actor: Actor | undefined): number | null {
  if (actor?.kind === 'user') return actor.user;
  return actor?.kind === 'key' ? actor.key : null;
}

/** Columns of an actor; `unknown` where none is known. */
export const actorColumns = (actor: Actor | undefined): ActorColumns => ({
  actor: actor?.kind ?? 'unknown',
  actor_id: numberOf(actor),
  actor_name: null,
});

/** The actor of stored columns, for the audit log; undefined where none is known. */
export function actorOf({ actor, actor_id: id }: ActorColumns): Actor | undefined {
  if (actor === 'user' && id !== null) return { kind: 'user', user: id as UserId };
  if (actor === 'key' && id !== null) return { kind: 'key', key: id as KeyId };
  return actor === 'ops' ? { kind: 'ops' } : undefined;
}

/** The actor as members may see it. */
export const changedBy = ({ actor, actor_id, actor_name }: ActorColumns): ChangedBy => ({ actor, actor_id, actor_name });
