import type { Revision, Target } from './target.js';
import type { Unit } from './unit.js';

/** How far the newest revision has come. */
export interface Takeover {
  /** Agents on which it is ready. */
  readonly ready: number;
  /** In the last round there was no room for all of it. */
  readonly cramped: boolean;
}

/**
 * What must run of a deployment. The revision that serves comes before the newest, so that scarce room
 * goes to it first. It is not placed again where the newest is ready already, and where both do not
 * fit it makes room replica by replica, but for the last one.
 */
export function unitsOf(target: Target, { ready, cramped }: Takeover): Unit[] {
  if (target.desired === 'stopped') return [];
  const units = target.revisions.flatMap((revision): Unit[] => {
    if (revision.fault !== null) return [];
    if (revision.rev === target.rev) return [unitOf(target, revision, { replicas: target.replicas })];
    if (revision.rev !== target.serving) return [unitOf(target, revision, { replicas: 0, kept: Infinity })];
    const replicas = Math.max(1, target.replicas - ready);
    return [unitOf(target, revision, cramped ? { replicas } : { replicas, kept: target.replicas })];
  });
  return units.sort((a, b) => a.rev - b.rev);
}

function unitOf({ dep, tries }: Target, { rev, source, bytes, mapped }: Revision, count: Pick<Unit, 'replicas' | 'kept'>): Unit {
  return {
    dep,
    rev,
    ...count,
    tries,
    engine: source.kind === 'http' ? 'http' : 'llama',
    bytes,
    mapped,
    download: source.kind === 'download' ? source.uri : null,
  };
}
