import type { DesiredState, ModelSource, ObservedState, StateReason } from '@slipway/contracts';
import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';

/** PostgreSQL's bigint arrives as text; ours stay far below 2^53. */
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

  /** Revision that new requests go to; null while none was ready since the deployment was made or resumed. */
  @Column('integer', { name: 'serving_rev', nullable: true })
  servingRev!: number | null;

  /** Revision that served before; it is unloaded a while after `servingSince`. */
  @Column('integer', { name: 'leaving_rev', nullable: true })
  leavingRev!: number | null;

  @Column('timestamptz', { name: 'serving_since', nullable: true })
  servingSince!: Date | null;

  /** Wanted by the owner. */
  @Column('integer')
  replicas!: number;

  @Column('text')
  state!: ObservedState;

  @Column('text', { nullable: true })
  reason!: StateReason | null;

  @Column('text', { nullable: true })
  detail!: string | null;

  @Column('integer', { name: 'ready_replicas' })
  readyReplicas!: number;

  /** How often its owner asked for another try at once. */
  @Column('integer', { default: 0 })
  tries!: number;

  /** As its replicas reported them when they were ready last. */
  @Column('text', { array: true })
  caps!: string[];

  @Column('integer', { name: 'engine_context', nullable: true })
  engineContext!: number | null;

  /** Agents that it is assigned to; null while gateways may send requests to runners of any. */
  @Column('text', { array: true, nullable: true })
  agents!: string[] | null;

  /** Since when it fails again and again; null while it does not. */
  @Column('timestamptz', { name: 'failed_since', nullable: true })
  failedSince!: Date | null;

  /** Rises with each change that gateways must hear of. */
  @Column('bigint', { transformer: asNumber })
  version!: number;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'state_since', default: () => 'now()' })
  stateSince!: Date;
}

/** What a deployment runs. Never changed: an update makes the next one. */
@Entity('revision')
export class RevisionEntity {
  @PrimaryColumn('integer', { name: 'deployment_id' })
  deploymentId!: number;

  @PrimaryColumn('integer')
  number!: number;

  @Column('jsonb')
  source!: ModelSource;

  /** Sealed by the credential vault. */
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

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt!: Date;
}
