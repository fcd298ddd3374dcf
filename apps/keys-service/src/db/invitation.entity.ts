import type { MemberRole } from '@slipway/contracts';
import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** An invitation, without its link: only the hash of the link's secret is kept. */
@Entity({ schema: 'people', name: 'invitation' })
export class InvitationEntity {
  @PrimaryGeneratedColumn('identity', { type: 'integer' })
  id!: number;

  @Column('integer', { name: 'account_id' })
  accountId!: number;

  /** The only address that may accept; null = whoever has the link, as for the first owner. */
  @Column('text', { nullable: true })
  email!: string | null;

  @Column('text')
  role!: MemberRole;

  /** SHA-256: the secret has 256 random bits. */
  @Column('bytea', { name: 'token_hash' })
  tokenHash!: Buffer;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'expires_at' })
  expiresAt!: Date;

  /** Accepted, revoked or replaced. */
  @Column('timestamptz', { name: 'closed_at', nullable: true })
  closedAt!: Date | null;
}
