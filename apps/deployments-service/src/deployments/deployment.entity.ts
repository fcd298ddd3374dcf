import type { ChangedBy, DesiredState, ModelSource, ObservedState, ServedAdapter, StateReason } from '@slipway/contracts';
import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';

/** The driver returns bigint as text. These values stay far below 2^53. */
const asNumber = { to: (value: number): number => value, from: (text: string): number => Number(text) };

@Entity('deployment')
export class DeploymentEntity {
  @PrimaryColumn('integer', { generated: 'identity', generatedIdentity: 'ALWAYS' })
  id!: number;

  @Column('integer')
  account!: number;

  @Column('text')
  name!: string;

  @Column('text')
  desired!: DesiredState;

  /** Number of its newest revision. */
  @Column('integer')
  rev!: number;

  /** Revision that new requests go to; null until one is ready after the deployment was created or resumed. */
  @Column('integer', { name: 'serving_rev', nullable: true })
  servingRev!: number | null;

  /** Revision that served before; it is unloaded `HANDOVER_MS` after `servingSince`. */
  @Column('integer', { name: 'leaving_rev', nullable: true })
  leavingRev!: number | null;

  @Column('timestamptz', { name: 'serving_since', nullable: true })
  servingSince!: Date | null;

  /** Replicas that it should have now. */
  @Column('integer')
  replicas!: number;

  /** Where its load decides `replicas`; null = the owner did. */
  @Column('integer', { name: 'replicas_min', nullable: true })
  replicasMin!: number | null;

  @Column('integer', { name: 'replicas_max', nullable: true })
  replicasMax!: number | null;

  /** Share of the slots that requests should take, in percent. */
  @Column('integer', { name: 'target_percent', nullable: true })
  targetPercent!: number | null;

  @Column('text')
  state!: ObservedState;

  @Column('text', { nullable: true })
  reason!: StateReason | null;

  @Column('text', { nullable: true })
  detail!: string | null;

  @Column('integer', { name: 'ready_replicas' })
  readyReplicas!: number;

  /** Number of retries that the owner asked for. */
  @Column('integer', { default: 0 })
  tries!: number;

  /** Capabilities that the replicas reported when they were last ready. */
  @Column('text', { array: true })
  caps!: string[];

  @Column('integer', { name: 'engine_context', nullable: true })
  engineContext!: number | null;

  /** Agents that it is assigned to; null in rows of older versions: gateways then accept runners of any agent. */
  @Column('text', { array: true, nullable: true })
  agents!: string[] | null;

  /** Whether gateways store its responses. */
  @Column('boolean', { name: 'store_responses', default: false })
  storeResponses!: boolean;

  /** Time of the first failure in a row; null while it does not fail. */
  @Column('timestamptz', { name: 'failed_since', nullable: true })
  failedSince!: Date | null;

  /** Rises with each change that the feed carries to gateways. */
  @Column('bigint', { transformer: asNumber })
  version!: number;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'state_since', default: () => 'now()' })
  stateSince!: Date;

  /** When its owner last changed it. Replicas of older versions do not write it. */
  @Column('timestamptz', { name: 'updated_at', default: () => 'now()' })
  updatedAt!: Date;
}

/** Settings of one revision. Rows never change: an update inserts the next one. */
@Entity('revision')
export class RevisionEntity {
  @PrimaryColumn('integer', { name: 'deployment_id' })
  deploymentId!: number;

  @PrimaryColumn('integer')
  number!: number;

  @Column('jsonb')
  source!: ModelSource;

  /** The adapter on the source; its witness is a column of its own. */
  @Column('jsonb', { nullable: true })
  adapter!: Omit<ServedAdapter, 'witness'> | null;

  /** Read for assignments and new revisions alone: some kilobytes each. */
  @Column('jsonb', { nullable: true, select: false })
  witness!: ServedAdapter['witness'] | null;

  /** Sealed by `CredentialVault`. */
  @Column('text', { nullable: true })
  credential!: string | null;

  @Column('integer', { nullable: true })
  context!: number | null;

  @Column('integer')
  slots!: number;

  /** Null = the service's default. */
  @Column('integer', { nullable: true })
  threads!: number | null;

  @Column('integer', { name: 'default_max_tokens', nullable: true })
  defaultMaxTokens!: number | null;

  /** Why it was made, in its maker's words. */
  @Column('text', { nullable: true })
  note!: string | null;

  /** Who made it; null in rows of older versions. */
  @Column('text', { nullable: true })
  actor!: ChangedBy['actor'] | null;

  @Column('integer', { name: 'actor_id', nullable: true })
  actorId!: number | null;

  @Column('text', { name: 'actor_name', nullable: true })
  actorName!: string | null;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt!: Date;
}
