import { describe, expect, it } from 'vitest';
import { isOlder, LEAST_NATS_SERVER, RECOMMENDED_NATS_SERVER } from './server-version.js';

describe('isOlder', () => {
  it.each(['1.99.99', '2.9.25', '2.10.26', '2.10.26-RC.1', '2.10'])('finds %s older than the least version', (version) => {
    expect(isOlder(version)).toBe(true);
  });

  it.each(['2.10.27', '2.10.27-RC.1', '2.10.100', '2.11.0', '2.12.0-preview.1', '3.0.0'])('does not find %s older', (version) => {
    expect(isOlder(version)).toBe(false);
  });

  it('compares versions by numbers', () => {
    expect([isOlder('2.9.10', '2.10.9'), isOlder('2.10.9', '2.9.10'), isOlder('2.12.7', '2.12.7')]).toEqual([true, false, false]);
    expect(isOlder(RECOMMENDED_NATS_SERVER, LEAST_NATS_SERVER)).toBe(false);
  });
});
