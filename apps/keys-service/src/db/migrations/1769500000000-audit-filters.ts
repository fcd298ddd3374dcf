import { createAuditIndexes, dropAuditIndexes } from '@slipway/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Reads the audit log by object and by actor. */
export class AuditFilters1769500000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of createAuditIndexes()) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of dropAuditIndexes()) await runner.query(statement);
  }
}
