import type { AccountQuotas, AccountState, Limits } from '@slipway/contracts';
import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** One customer. The slug is part of public addresses and never changes. */
@Entity({ schema: 'accounts', name: 'account' })
export class AccountEntity {
  @PrimaryGeneratedColumn('identity', { type: 'integer' })
  id!: number;

  @Column('text')
  slug!: string;

  @Column('text')
  state!: AccountState;

  /** For all of its keys together. */
  @Column('jsonb')
  limits!: Limits;

  /** Those that an operator set. */
  @Column('jsonb')
  quotas!: AccountQuotas;

  /** Rises with each change that the key feed tells of. */
  @Column('integer')
  ver!: number;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;

  /** Null = it was not; one that was stays suspended. */
  @Column('timestamptz', { name: 'deleted_at', nullable: true })
  deletedAt!: Date | null;
}
