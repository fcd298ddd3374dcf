import { Injectable } from '@nestjs/common';
import type { ChangedBy, DeployedAdapter, DeploymentId } from '@slipway/contracts';
import type { EntityManager } from 'typeorm';
import { RevisionEntity } from './deployment.entity.js';
import { deployedAdapter, publicSource, type RevisionSettings, settingsColumns, settingsOf } from './revision-settings.js';

/** Revisions kept of each deployment, besides the one that serves and the one before it. */
const KEPT = 50;

/** A revision as lists show it, without its credential. */
export interface StoredRevision extends Omit<RevisionSettings, 'credential' | 'adapter'> {
  readonly adapter: DeployedAdapter | null;
  readonly rev: number;
  readonly hasCredential: boolean;
  readonly createdAt: Date;
  /** Null = unknown, as of revisions from before it was recorded. */
  readonly by: ChangedBy | null;
  readonly note: string | null;
}

/** Who made a revision, and why. */
export interface RevisionOrigin {
  readonly by: ChangedBy;
  readonly note: string | null;
}

interface NewRevision extends RevisionOrigin {
  readonly deployment: DeploymentId;
  readonly rev: number;
  readonly settings: RevisionSettings;
}

/** The columns of a revision's origin. */
export const originColumns = ({ by, note }: RevisionOrigin): Pick<RevisionEntity, 'note' | 'actor' | 'actorId' | 'actorName'> => ({
  note,
  actor: by.actor,
  actorId: by.actor_id,
  actorName: by.actor_name,
});

const DELETE_OLD = `
  DELETE FROM revision r USING deployment d
  WHERE d.id = $1 AND r.deployment_id = d.id AND r.number <= $2
    AND r.number IS DISTINCT FROM d.serving_rev AND r.number IS DISTINCT FROM d.leaving_rev`;

/** Reads and writes revisions. The caller has checked that the deployment belongs to the account. */
@Injectable()
export class RevisionsRepository {
  /** Inserts a revision of a locked deployment and deletes the oldest ones above `KEPT`. */
  async insert(tx: EntityManager, { deployment, rev, settings, ...origin }: NewRevision): Promise<void> {
    await tx.insert(RevisionEntity, { deploymentId: deployment, number: rev, ...settingsColumns(settings), ...originColumns(origin) });
    if (rev > KEPT) await tx.query(DELETE_OLD, [deployment, rev - KEPT]);
  }

  async find(tx: EntityManager, deployment: DeploymentId, rev: number): Promise<RevisionSettings | null> {
    const where = { deploymentId: deployment, number: rev };
    const row = await tx.createQueryBuilder(RevisionEntity, 'r').addSelect('r.witness').where(where).getOne();
    return row && settingsOf(row);
  }

  /** Newest first, at most `KEPT`. */
  async list(connection: EntityManager, deployment: DeploymentId): Promise<StoredRevision[]> {
    const rows = await connection.find(RevisionEntity, { where: { deploymentId: deployment }, order: { number: 'DESC' }, take: KEPT });
    return rows.map(({ number, credential, source, adapter, actor, actorId, actorName, ...row }) => ({
      ...row,
      adapter: deployedAdapter(adapter),
      by: actor === null ? null : { actor, actor_id: actorId, actor_name: actorName },
      source: publicSource(source),
      rev: number,
      hasCredential: credential !== null,
    }));
  }
}
