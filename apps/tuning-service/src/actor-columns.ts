import type { Actor, ChangedBy } from '@slipway/contracts';

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

/** The actor as members may see it. */
export const changedBy = ({ actor, actor_id, actor_name }: ActorColumns): ChangedBy => ({ actor, actor_id, actor_name });
