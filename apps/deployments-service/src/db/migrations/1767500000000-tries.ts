import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How often an owner asked for another try: by its growth the placer knows that it need not wait. */
export class Tries1767500000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE deployment ADD tries integer NOT NULL DEFAULT 0`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE deployment DROP tries`);
  }
}
