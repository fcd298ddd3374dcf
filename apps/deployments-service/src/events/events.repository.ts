import { Injectable } from '@nestjs/common';
import {
  type AccountId,
  type ChangedBy,
  DEPLOYMENT_EVENT_KINDS,
  DEPLOYMENT_EVENTS_MAX,
  type DeploymentEvent,
  type DeploymentEventKind,
  type DeploymentId,
} from '@slipway/contracts';
import type { EntityManager } from 'typeorm';
import { folded, type StoredState } from './fold.js';

/** What an owner did, as the audit log calls it. */
export type OwnersAction = Exclude<DeploymentEventKind, 'state' | 'serving' | 'replicas' | 'autoscale'>;

/** An event to store. */
export interface NewEvent {
  readonly deployment: DeploymentId;
  readonly account: AccountId;
  readonly kind: DeploymentEventKind;
  readonly state?: DeploymentEvent['state'];
  readonly reason?: DeploymentEvent['reason'];
  readonly detail?: string | null;
  readonly rev?: number | null;
  readonly readyReplicas?: number;
  /** Absent = the service itself. */
  readonly by?: ChangedBy;
  readonly facts?: DeploymentEvent['facts'];
}

/** Which events of an account are wanted. */
export interface EventQuery {
  /** Null = of all deployments. */
  readonly deployment: DeploymentId | null;
  /** Only events with lower numbers; null = from the newest on. */
  readonly before: number | null;
  readonly limit: number;
}

/** A stored event, of a kind that this version knows. */
type StoredEvent = DeploymentEvent & { readonly kind: DeploymentEventKind };

interface EventRow {
  readonly id: string;
  readonly deployment_id: DeploymentId;
  readonly at: Date;
  readonly first_at: Date;
  readonly count: number;
  readonly kind: DeploymentEventKind;
  readonly state: DeploymentEvent['state'];
  readonly reason: DeploymentEvent['reason'];
  readonly detail: string | null;
  readonly rev: number | null;
  readonly ready_replicas: number | null;
  readonly actor: ChangedBy['actor'] | null;
  readonly actor_id: number | null;
  readonly actor_name: string | null;
  readonly facts: DeploymentEvent['facts'];
}

const INSERT = `
  INSERT INTO deployment_event (deployment_id, account, kind, state, reason, detail, rev, ready_replicas, actor, actor_id, actor_name,
    facts, count, first_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, coalesce($14, clock_timestamp()))`;

const TRIM = `
  DELETE FROM deployment_event WHERE deployment_id = $1 AND id <=
    (SELECT id FROM deployment_event WHERE deployment_id = $1 ORDER BY id DESC OFFSET ${DEPLOYMENT_EVENTS_MAX} LIMIT 1)`;

/** Enough to find a failure before the retry that followed it. */
const NEWEST = `
  SELECT id, kind, state, reason, count, first_at AS "firstAt" FROM deployment_event
  WHERE deployment_id = $1 ORDER BY id DESC LIMIT 4`;

const PAGE = (which: string): string => `
  SELECT * FROM deployment_event WHERE ${which} AND ($2::bigint IS NULL OR id < $2) AND kind = ANY($4) ORDER BY id DESC LIMIT $3`;

/** Stores and reads events of deployments. */
@Injectable()
export class EventsRepository {
  /** Stores an event in the caller's transaction, and deletes the oldest above the bound. A repeated failure takes the place of the one before. */
  async add(tx: EntityManager, event: NewEvent): Promise<void> {
    const { deployment, state, reason } = event;
    const repeated = state === 'failed' ? folded(await tx.query<StoredState[]>(NEWEST, [deployment]), reason ?? null) : null;
    if (repeated) await tx.query(`DELETE FROM deployment_event WHERE id = ANY($1)`, [repeated.ids]);
    await tx.query(INSERT, [...columnsOf(event), (repeated?.count ?? 0) + 1, repeated?.firstAt ?? null]);
    await tx.query(TRIM, [deployment]);
  }

  /** Events of an account, newest first. The caller has checked that the deployment belongs to it. */
  async page(connection: EntityManager, account: AccountId, { deployment, before, limit }: EventQuery): Promise<StoredEvent[]> {
    const which = deployment === null ? 'account = $1' : 'deployment_id = $1';
    const rows = await connection.query<EventRow[]>(PAGE(which), [deployment ?? account, before, limit, DEPLOYMENT_EVENT_KINDS]);
    return rows.map(eventOf);
  }
}

/** The first columns of `INSERT`; the driver writes undefined as NULL. */
function columnsOf({ deployment, account, by, facts = {}, ...event }: NewEvent): unknown[] {
  const { kind, state, reason, detail, rev, readyReplicas } = event;
  const who = [by?.actor, by?.actor_id, by?.actor_name];
  return [deployment, account, kind, state, reason, detail, rev, readyReplicas, ...who, JSON.stringify(facts)];
}

function eventOf({ id, deployment_id: deployment, at, first_at: firstAt, actor, actor_id, actor_name, ...row }: EventRow): StoredEvent {
  const { count, kind, state, reason, detail, rev, ready_replicas, facts } = row;
  return {
    ...{ id: Number(id), deployment, at: at.toISOString(), first_at: firstAt.toISOString(), count, kind, state, reason, detail },
    ...{ rev, ready_replicas, facts, by: actor === null ? null : { actor, actor_id, actor_name } },
  };
}
