import type { KeyCreator, KeyKind, Limits } from '@slipway/contracts';
import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** One API key, without the key: only its MAC under a pepper of the environment is kept. */
@Entity({ schema: 'keys', name: 'key' })
export class KeyEntity {
  @PrimaryGeneratedColumn('identity', { type: 'integer' })
  id!: number;

  @Column('integer', { name: 'account_id' })
  accountId!: number;

  @Column('text')
  kind!: KeyKind | 'playground';

  /** Of the playground's keys alone: whose they are. */
  @Column('text', { name: 'session_id', nullable: true })
  sessionId!: string | null;

  @Column('text')
  name!: string;

  /** HMAC-SHA-256, 32 bytes. */
  @Column('bytea')
  mac!: Buffer;

  /** Id of the pepper that made `mac`. */
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

  /** The only deployments that it may call; null = all of its account. */
  @Column('integer', { array: true, nullable: true })
  deployments!: number[] | null;

  @Column('jsonb')
  limits!: Limits;

  /** Rises with each change that the key feed tells of. */
  @Column('integer')
  ver!: number;

  /** Null where an older caller did not say. */
  @Column('jsonb', { name: 'created_by', nullable: true })
  createdBy!: KeyCreator | null;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;

  /** Null = never. */
  @Column('timestamptz', { name: 'rotated_at', nullable: true })
  rotatedAt!: Date | null;
}
