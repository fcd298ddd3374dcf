import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Nonces of sign-ins by an identity provider, each valid once. */
export class SignInAttempts1768800000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE sessions.sign_in_attempt (nonce_hash bytea PRIMARY KEY, expires_at timestamptz NOT NULL)`);
    await runner.query(`CREATE INDEX sign_in_attempt_expiry ON sessions.sign_in_attempt (expires_at)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE sessions.sign_in_attempt`);
  }
}
