import { Column, Entity, PrimaryColumn, UpdateDateColumn } from 'typeorm';

@Entity('alias')
export class AliasEntity {
  @PrimaryColumn('integer')
  account!: number;

  @PrimaryColumn('text')
  name!: string;

  @Column('integer', { name: 'deployment_id' })
  deploymentId!: number;

  /** The candidate of a running rollout, and its share in percent. */
  @Column('integer', { name: 'canary_id', nullable: true })
  canaryId!: number | null;

  @Column('integer', { name: 'canary_percent', nullable: true })
  canaryPercent!: number | null;

  /** Rises with each change, also when the alias is removed and created again. */
  @Column('bigint', { transformer: { to: (value: number): number => value, from: (text: string): number => Number(text) } })
  version!: number;

  @UpdateDateColumn({ name: 'updated_at', type: 'timestamptz' })
  updatedAt!: Date;
}
