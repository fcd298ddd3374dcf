import { downloadOf, engineKindOf } from '@slipway/contracts';
import { publicSource } from '../deployments/source-secret.js';
import type { Revision, Target } from './target.js';
import type { Unit } from './unit.js';

/** How far the newest revision has come. */
export interface Takeover {
  /** Agents on which it is ready. */
  readonly ready: number;
  /** In the last round there was no room for all of it. */
  readonly cramped: boolean;
  /** Agents without a key get secrets in clear. */
  readonly clear: boolean;
}

/**
 * What must run of a deployment. The revision that serves comes before the newest, so that scarce room
 * goes to it first. It is not placed again where the newest is ready already, and where both do not
 * fit it makes room replica by replica, but for the last one.
 */
export function unitsOf(target: Target, { ready, cramped, clear }: Takeover): Unit[] {
  if (target.desired === 'stopped') return [];
  const units = target.revisions.flatMap((revision): Unit[] => {
    if (revision.fault !== null) return [];
    const secret = revision.credential !== null && !clear;
    if (revision.rev === target.rev) return [unitOf(target, revision, { secret, replicas: target.replicas })];
    if (revision.rev !== target.serving) return [unitOf(target, revision, { secret, replicas: 0, kept: Infinity })];
    const replicas = Math.max(1, target.replicas - ready);
    return [unitOf(target, revision, cramped ? { secret, replicas } : { secret, replicas, kept: target.replicas })];
  });
  return units.sort((a, b) => a.rev - b.rev);
}

function unitOf({ dep, tries }: Target, { rev, source, bytes, mapped }: Revision, rest: Pick<Unit, 'replicas' | 'kept' | 'secret'>): Unit {
  return {
    dep,
    rev,
    ...rest,
    tries,
    engine: engineKindOf(source),
    bytes,
    mapped,
    // As heartbeats name it.
    download: downloadOf(publicSource(source)),
  };
}
