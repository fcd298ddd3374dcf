import { ConfigError } from '@slipway/platform';
import { describe, expect, it } from 'vitest';
import { requireSecrets, secretChecks } from './secret-checks.js';

const [A, B] = ['ab'.repeat(32), 'cd'.repeat(32)];

const problemsOf = (check: () => unknown): readonly string[] => {
  try {
    check();
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
};

describe('the proof of secrets', () => {
  it('reveals nothing of them', () => {
    const text = JSON.stringify(secretChecks('keys', { KEY_PEPPERS: `p1:${A}`, SLIPWAY_SECRET_KEY: B }));
    expect(text).toContain('p1');
    for (const secret of [A, B]) expect(text).not.toContain(secret.slice(0, 8));
  });

  it('holds where secrets were added since', () => {
    const backup = secretChecks('keys', { KEY_PEPPERS: `p1:${A}`, SLIPWAY_SECRET_KEY: A });
    const later = secretChecks('keys', { KEY_PEPPERS: `p2:${B},p1:${A}`, SLIPWAY_SECRET_KEY: `${B},${A}` });
    expect(problemsOf(() => requireSecrets(backup, later))).toEqual([]);
  });

  it('fails for another pepper, a missing one and another key', () => {
    const backup = secretChecks('keys', { KEY_PEPPERS: `p1:${A},p2:${A}`, SLIPWAY_SECRET_KEY: A });
    const other = secretChecks('keys', { KEY_PEPPERS: `p1:${B}`, SLIPWAY_SECRET_KEY: B });
    expect(problemsOf(() => requireSecrets(backup, other))).toEqual([
      expect.stringContaining('"p1" is not the pepper of the backup'),
      expect.stringContaining('"p2" is missing'),
      expect.stringContaining('SLIPWAY_SECRET_KEY: is not the key of the backup'),
    ]);
  });

  it('needs what the database of each service needs', () => {
    expect(problemsOf(() => secretChecks('keys', {}))).toEqual(['KEY_PEPPERS: is not set', 'SLIPWAY_SECRET_KEY: is not set']);
    expect(problemsOf(() => secretChecks('deployments', {}))).toEqual(['SLIPWAY_SECRET_KEY: is not set']);
    expect(secretChecks('tuning', {})).toEqual({});
  });
});
