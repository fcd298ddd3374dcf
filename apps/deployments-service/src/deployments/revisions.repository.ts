import { Injectable } from '@nestjs/common';
import type { DeploymentId } from '@slipway/contracts';
import type { EntityManager } from 'typeorm';
import { RevisionEntity } from './deployment.entity.js';
import type { RevisionSettings } from './revision-settings.js';
import { publicSource } from './source-secret.js';

/** Revisions kept of a deployment, besides those that serve or leave. */
const KEPT = 50;

/** A revision as lists show it. The credential stays behind. */
export interface StoredRevision extends Omit<RevisionSettings, 'credential'> {
  readonly rev: number;
  readonly hasCredential: boolean;
  readonly createdAt: Date;
}

const FORGET = `
  DELETE FROM revision r USING deployment d
  WHERE d.id = $1 AND r.deployment_id = d.id AND r.number <= $2
    AND r.number IS DISTINCT FROM d.serving_rev AND r.number IS DISTINCT FROM d.leaving_rev`;

/** Revisions of deployments that are known to be the caller's. */
@Injectable()
export class RevisionsRepository {
  /** Writes a revision of a deployment that is held; forgets those that are too old. */
  async insert(tx: EntityManager, deployment: DeploymentId, rev: number, settings: RevisionSettings): Promise<void> {
    await tx.insert(RevisionEntity, { deploymentId: deployment, number: rev, ...settings });
    if (rev > KEPT) await tx.query(FORGET, [deployment, rev - KEPT]);
  }

  async find(tx: EntityManager, deployment: DeploymentId, rev: number): Promise<RevisionSettings | null> {
    const row = await tx.findOneBy(RevisionEntity, { deploymentId: deployment, number: rev });
    if (!row) return null;
    const { source, credential, context, slots, threads, defaultMaxTokens } = row;
    return { source, credential, context, slots, threads, defaultMaxTokens };
  }

  /** Newest first, at most as many as are kept. */
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
