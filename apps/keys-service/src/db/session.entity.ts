import { Column, Entity, PrimaryColumn } from 'typeorm';

/** One sign-in, from its first token to its end. */
@Entity({ schema: 'sessions', name: 'session' })
export class SessionEntity {
  @PrimaryColumn('text')
  id!: string;

  @Column('integer', { name: 'user_id' })
  userId!: number;

  /** The account in which it works. */
  @Column('integer', { name: 'account_id' })
  accountId!: number;

  /** Tokens of a lower version are void. */
  @Column('integer')
  ver!: number;

  /** Of the refresh tokens that are good now; each use begins the next one. */
  @Column('integer')
  generation!: number;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;

  /** When the present generation began. */
  @Column('timestamptz', { name: 'rotated_at' })
  rotatedAt!: Date;

  /** SHA-256 of the name of the attempt that began the present generation; null = it had none. */
  @Column('bytea', { name: 'attempt_hash', nullable: true })
  attemptHash!: Buffer | null;

  /** The end, however much it is used. */
  @Column('timestamptz', { name: 'expires_at' })
  expiresAt!: Date;

  @Column('timestamptz', { name: 'ended_at', nullable: true })
  endedAt!: Date | null;

  /** Until when consoles must know that tokens of it are void; null = none are. */
  @Column('timestamptz', { name: 'void_until', nullable: true })
  voidUntil!: Date | null;

  @Column('text', { nullable: true })
  address!: string | null;

  @Column('text', { nullable: true })
  client!: string | null;
}
