import { describe, expect, it } from 'vitest';
import { UsageError } from '../cli-errors.js';
import { quotaChanges } from './quota-command.js';

describe('quotas on a command line', () => {
  it('are a number, or the default again', () => {
    expect(quotaChanges(['keys=200', 'members=0', 'invitations=default', 'uploads=8'])).toEqual({
      ...{ keys: 200, members: 0, invitations: null, uploads: 8 },
    });
    expect(quotaChanges(['deployments=50', 'replicas=default'])).toEqual({ deployments: 50, replicas: null });
    expect(quotaChanges([])).toEqual({});
  });

  it.each([
    [['keis=2'], '"keis=2" is not NAME=VALUE of a quota; there are keys, members, invitations, uploads, deployments, replicas, aliases.'],
    [['keys'], '"keys" is not NAME=VALUE of a quota; there are keys, members, invitations, uploads, deployments, replicas, aliases.'],
    [['keys='], 'keys takes a whole number, not "".'],
    [['keys=-1'], 'keys takes a whole number, not "-1".'],
    [['uploads=0'], 'uploads 0 is out of range: at least 1.'],
    [['keys=1', 'keys=2'], 'keys is written twice.'],
  ])('%j is refused', (words, message) => {
    expect(() => quotaChanges(words)).toThrow(new UsageError(message));
  });
});
