import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A person as an identity provider names them. */
@Entity({ schema: 'people', name: 'identity' })
export class IdentityEntity {
  @PrimaryColumn('text')
  issuer!: string;

  @PrimaryColumn('text')
  subject!: string;

  @Column('integer', { name: 'user_id' })
  userId!: number;
}
