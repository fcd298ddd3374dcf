import { createAuditTable, dropAuditTable } from '@slipway/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The audit log of deployments and aliases. */
export class Audit1764000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of createAuditTable()) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of dropAuditTable()) await runner.query(statement);
  }
}
