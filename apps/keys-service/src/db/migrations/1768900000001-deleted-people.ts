import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Ended sessions stay when their person is deleted: consoles that start later must know that the tokens are void. */
export class DeletedPeople1768900000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE sessions.session DROP CONSTRAINT session_user_id_fkey`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DELETE FROM sessions.session WHERE user_id NOT IN (SELECT id FROM people.person)`);
    await runner.query(
      `ALTER TABLE sessions.session ADD CONSTRAINT session_user_id_fkey FOREIGN KEY (user_id) REFERENCES people.person (id)`,
    );
  }
}
