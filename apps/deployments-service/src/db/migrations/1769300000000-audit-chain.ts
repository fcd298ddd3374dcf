import { createAuditChain, dropAuditChain } from '@slipway/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Chains the entries of the audit log by their hashes. */
export class AuditChain1769300000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of createAuditChain()) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of dropAuditChain()) await runner.query(statement);
  }
}
