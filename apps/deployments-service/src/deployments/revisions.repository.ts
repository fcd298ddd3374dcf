import { Injectable } from '@nestjs/common';
import type { DeploymentId } from '@slipway/contracts';
import type { EntityManager } from 'typeorm';
import { RevisionEntity } from './deployment.entity.js';
import type { RevisionSettings } from './revision-settings.js';
import { publicSource } from './revision-secrets.js';

/** Revisions kept of each deployment, besides the one that serves and the one before it. */
const KEPT = 50;

/** A revision as lists show it, without its credential. */
export interface StoredRevision extends Omit<RevisionSettings, 'credential'> {
  readonly rev: number;
  readonly hasCredential: boolean;
  readonly createdAt: Date;
}

const DELETE_OLD = `
  DELETE FROM revision r USING deployment d
  WHERE d.id = $1 AND r.deployment_id = d.id AND r.number <= $2
    AND r.number IS DISTINCT FROM d.serving_rev AND r.number IS DISTINCT FROM d.leaving_rev`;

/** Reads and writes revisions. The caller has checked that the deployment belongs to the account. */
@Injectable()
export class RevisionsRepository {
  /** Inserts a revision of a locked deployment and deletes the oldest ones above `KEPT`. */
  async insert(tx: EntityManager, deployment: DeploymentId, rev: number, settings: RevisionSettings): Promise<void> {
    await tx.insert(RevisionEntity, { deploymentId: deployment, number: rev, ...settings });
    if (rev > KEPT) await tx.query(DELETE_OLD, [deployment, rev - KEPT]);
  }

  async find(tx: EntityManager, deployment: DeploymentId, rev: number): Promise<RevisionSettings | null> {
    const row = await tx.findOneBy(RevisionEntity, { deploymentId: deployment, number: rev });
    if (!row) return null;
    const { source, credential, context, slots, threads, defaultMaxTokens } = row;
    return { source, credential, context, slots, threads, defaultMaxTokens };
  }

  /** Newest first, at most `KEPT`. */
  async list(connection: EntityManager, deployment: DeploymentId): Promise<StoredRevision[]> {
    const rows = await connection.find(RevisionEntity, { where: { deploymentId: deployment }, order: { number: 'DESC' }, take: KEPT });
    return rows.map(({ number, credential, source, ...row }) => ({
      ...row,
      source: publicSource(source),
      rev: number,
      hasCredential: credential !== null,
    }));
  }
}
