import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** Somebody who signs in. */
@Entity({ schema: 'people', name: 'person' })
export class PersonEntity {
  @PrimaryGeneratedColumn('identity', { type: 'integer' })
  id!: number;

  /** Lower-cased. */
  @Column('text')
  email!: string;

  @Column('text')
  name!: string;

  /** argon2id with its parameters and salt; null = signs in by an identity provider alone. */
  @Column('text', { name: 'password_hash', nullable: true })
  passwordHash!: string | null;

  /** When an identity provider first vouched for the address; null = nobody has: whoever had a link may have named it. */
  @Column('timestamptz', { name: 'proven_at', nullable: true })
  provenAt!: Date | null;

  /** Since when nothing opens for them; null = they are not suspended. */
  @Column('timestamptz', { name: 'suspended_at', nullable: true })
  suspendedAt!: Date | null;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'last_sign_in_at', nullable: true })
  lastSignInAt!: Date | null;
}
