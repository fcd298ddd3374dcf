import {
  type DeploymentId,
  type DesiredState,
  downloadOf,
  engineKindOf,
  fileOf,
  type ModelSource,
  type ObservedState,
  type ReplicaRange,
  type ServedAdapter,
  type StateReason,
} from '@slipway/contracts';
import { publicSource } from '../deployments/revision-settings.js';
import type { Failure } from './failures.js';
import type { Unit } from './unit.js';

/** The stored observed state of a deployment. */
export interface WrittenState {
  readonly state: ObservedState;
  /** Revision that new requests go to; null while none was ready. */
  readonly serving: number | null;
  readonly reason: StateReason | null;
  readonly detail: string | null;
  readonly readyReplicas: number;
  readonly caps: readonly string[];
  readonly context: number | null;
  /** Names of the agents whose runners get its requests; null = all agents. */
  readonly agents: readonly string[] | null;
}

/** Stored settings of a revision. */
export interface StoredRevision {
  readonly rev: number;
  readonly source: ModelSource;
  readonly adapter: ServedAdapter | null;
  /** Sealed by `CredentialVault`. */
  readonly credential: string | null;
  readonly context: number | null;
  readonly slots: number;
  /** Null = the service's default. */
  readonly threads: number | null;
  readonly defaultMaxTokens: number | null;
}

/** A revision with its memory need, and whether it can be assigned. */
export interface Revision extends StoredRevision {
  /** Memory of one replica; 0 for an HTTP engine. */
  readonly bytes: number;
  /** The part of `bytes` that stays in the file cache. */
  readonly mapped: number;
  /** Why it cannot be assigned to any agent; null when it can. */
  readonly fault: Failure | null;
}

/** A deployment that placement works on: what its owner wants, the revisions that run, and the stored observed state. */
export interface TargetOf<R> {
  readonly dep: DeploymentId;
  readonly account: number;
  readonly desired: DesiredState;
  /** The newest revision, which is the wanted one. */
  readonly rev: number;
  /** Revision that new requests go to; null while none was ready. */
  readonly serving: number | null;
  readonly replicas: number;
  /** Where its load decides `replicas`; null = its owner did. */
  readonly range: ReplicaRange | null;
  /** Rises with each retry that the owner asks for. */
  readonly tries: number;
  /** The newest revision, the serving one, and for a while the one that served before, for requests that are still under way. */
  readonly revisions: readonly R[];
  readonly written: WrittenState;
}

export type StoredTarget = TargetOf<StoredRevision>;
export type Target = TargetOf<Revision>;

/** Progress of the change to the newest revision. */
export interface Rollout {
  /** Number of agents on which the newest revision is ready. */
  readonly ready: number;
  /** True if memory was missing for some of its replicas in the last round. */
  readonly hasNoRoom: boolean;
  /** True if agents without a key get secrets unsealed. */
  readonly clear: boolean;
}

/**
 * The units of a deployment, the serving revision before the newest, so that scarce memory goes to it first. A lost replica of
 * the serving revision is not replaced where the newest is ready. If both do not fit, the serving one gives up its replicas
 * one by one, except the last.
 */
export function unitsOf(target: Target, { ready, hasNoRoom, clear }: Rollout): Unit[] {
  if (target.desired === 'stopped') return [];
  const units = target.revisions.flatMap((revision): Unit[] => {
    if (revision.fault !== null) return [];
    const secret = revision.credential !== null && !clear;
    if (revision.rev === target.rev) return [unitOf(target, revision, { secret, replicas: target.replicas })];
    if (revision.rev !== target.serving) return [unitOf(target, revision, { secret, replicas: 0, kept: Infinity })];
    const replicas = Math.max(1, target.replicas - ready);
    return [unitOf(target, revision, hasNoRoom ? { secret, replicas } : { secret, replicas, kept: target.replicas })];
  });
  return units.sort((a, b) => a.rev - b.rev);
}

function unitOf(
  { dep, tries }: Target,
  { rev, source, adapter, bytes, mapped }: Revision,
  rest: Pick<Unit, 'replicas' | 'kept' | 'secret'>,
): Unit {
  return {
    dep,
    rev,
    ...rest,
    tries,
    engine: engineKindOf(source),
    bytes,
    mapped,
    file: fileOf(source),
    adapter: adapter !== null,
    // Heartbeats list cached downloads without their query.
    download: downloadOf(publicSource(source)),
  };
}
