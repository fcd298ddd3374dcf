import type { MemberRole } from '@slipway/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** That a person belongs to an account, and as what. */
@Entity({ schema: 'people', name: 'membership' })
export class MembershipEntity {
  @PrimaryColumn('integer', { name: 'account_id' })
  accountId!: number;

  @PrimaryColumn('integer', { name: 'user_id' })
  userId!: number;

  @Column('text')
  role!: MemberRole;

  @Column('timestamptz', { name: 'joined_at' })
  joinedAt!: Date;
}
