import type { AccountQuotas, AccountState, KeyCreator, KeyKind, Limits, MemberRole } from '@slipway/contracts';
import { Column, Entity, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';

/** A tenant. The slug is part of public addresses and never changes. */
@Entity({ schema: 'accounts', name: 'account' })
export class AccountEntity {
  @PrimaryGeneratedColumn('identity', { type: 'integer' })
  id!: number;

  @Column('text')
  slug!: string;

  @Column('text')
  state!: AccountState;

  /** Shared by all keys of the account. */
  @Column('jsonb')
  limits!: Limits;

  /** Only the quotas that an operator set. */
  @Column('jsonb')
  quotas!: AccountQuotas;

  /** Increases with each change that is published in the key feed. */
  @Column('integer')
  ver!: number;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;

  /** Null = not deleted. A deleted account stays suspended. */
  @Column('timestamptz', { name: 'deleted_at', nullable: true })
  deletedAt!: Date | null;
}

/** An API key. The key itself is not stored, only its MAC under one of the environment's peppers. */
@Entity({ schema: 'keys', name: 'key' })
export class KeyEntity {
  @PrimaryGeneratedColumn('identity', { type: 'integer' })
  id!: number;

  @Column('integer', { name: 'account_id' })
  accountId!: number;

  @Column('text')
  kind!: KeyKind | 'playground' | 'evaluation';

  /** The session that a playground key belongs to; null for all other keys. */
  @Column('text', { name: 'session_id', nullable: true })
  sessionId!: string | null;

  @Column('text')
  name!: string;

  /** HMAC-SHA-256, 32 bytes. */
  @Column('bytea')
  mac!: Buffer;

  /** Id of the pepper of `mac`. */
  @Column('text')
  pepper!: string;

  /** Prefix and first four characters, for lists. */
  @Column('text')
  hint!: string;

  @Column('text')
  state!: 'active' | 'revoked';

  /** Null = never. */
  @Column('timestamptz', { name: 'expires_at', nullable: true })
  expiresAt!: Date | null;

  /** The only deployments that the key may call; null = all of its account. */
  @Column('integer', { array: true, nullable: true })
  deployments!: number[] | null;

  @Column('jsonb')
  limits!: Limits;

  /** Increases with each change that is published in the key feed. */
  @Column('integer')
  ver!: number;

  /** Null where an older caller did not name an actor. */
  @Column('jsonb', { name: 'created_by', nullable: true })
  createdBy!: KeyCreator | null;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;

  /** Null = never. */
  @Column('timestamptz', { name: 'rotated_at', nullable: true })
  rotatedAt!: Date | null;
}

/** A person who can sign in. */
@Entity({ schema: 'people', name: 'person' })
export class PersonEntity {
  @PrimaryGeneratedColumn('identity', { type: 'integer' })
  id!: number;

  /** In lower case. */
  @Column('text')
  email!: string;

  @Column('text')
  name!: string;

  /** argon2id with its parameters and salt; null = the person signs in by an identity provider only. */
  @Column('text', { name: 'password_hash', nullable: true })
  passwordHash!: string | null;

  /** When an identity provider first verified the address; null = not verified, and anyone with an invitation link may have entered it. */
  @Column('timestamptz', { name: 'proven_at', nullable: true })
  provenAt!: Date | null;

  /** Null = not suspended. */
  @Column('timestamptz', { name: 'suspended_at', nullable: true })
  suspendedAt!: Date | null;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'last_sign_in_at', nullable: true })
  lastSignInAt!: Date | null;
}

/** A person's subject at an identity provider. */
@Entity({ schema: 'people', name: 'identity' })
export class IdentityEntity {
  @PrimaryColumn('text')
  issuer!: string;

  @PrimaryColumn('text')
  subject!: string;

  @Column('integer', { name: 'user_id' })
  userId!: number;
}

/** A person's role in an account. */
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

/** An invitation. Its link is not stored, only the hash of the link's secret. */
@Entity({ schema: 'people', name: 'invitation' })
export class InvitationEntity {
  @PrimaryGeneratedColumn('identity', { type: 'integer' })
  id!: number;

  @Column('integer', { name: 'account_id' })
  accountId!: number;

  /** The only address that may accept; null = anyone with the link, as for the first owner. */
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

  /** When it was accepted, revoked or replaced; null = it is pending. */
  @Column('timestamptz', { name: 'closed_at', nullable: true })
  closedAt!: Date | null;
}

/** One sign-in, from its first token to its end. */
@Entity({ schema: 'sessions', name: 'session' })
export class SessionEntity {
  @PrimaryColumn('text')
  id!: string;

  @Column('integer', { name: 'user_id' })
  userId!: number;

  /** The account that the session works in. */
  @Column('integer', { name: 'account_id' })
  accountId!: number;

  /** Session tokens of a lower version are void. */
  @Column('integer')
  ver!: number;

  /** The generation of refresh tokens that is valid now; each refresh begins the next one. */
  @Column('integer')
  generation!: number;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;

  /** When the current generation began. */
  @Column('timestamptz', { name: 'rotated_at' })
  rotatedAt!: Date;

  /** SHA-256 of the name of the refresh attempt that began the current generation; null = the attempt had no name. */
  @Column('bytea', { name: 'attempt_hash', nullable: true })
  attemptHash!: Buffer | null;

  /** The end of the session however much it is used. */
  @Column('timestamptz', { name: 'expires_at' })
  expiresAt!: Date;

  @Column('timestamptz', { name: 'ended_at', nullable: true })
  endedAt!: Date | null;

  /** Until when void tokens of the session are published in the session feed; null = it has none. */
  @Column('timestamptz', { name: 'void_until', nullable: true })
  voidUntil!: Date | null;

  @Column('text', { nullable: true })
  address!: string | null;

  @Column('text', { nullable: true })
  client!: string | null;
}
