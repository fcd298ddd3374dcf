import { describe, expect, it } from 'vitest';
import { UsageError } from '../cli-errors.js';
import { quotaChanges } from './quota-command.js';

const changes = (words: readonly string[]): object =>
  Object.fromEntries(words.reduce<ReturnType<typeof quotaChanges>>((before, word) => quotaChanges(word, before), []));

describe('quotas on a command line', () => {
  it('are a number, or the default again', () => {
    expect(changes(['keys=200', 'members=0', 'invitations=default', 'uploads=8'])).toEqual({
      ...{ keys: 200, members: 0, invitations: null, uploads: 8 },
    });
    expect(changes(['adapters=20', 'dataset_bytes=42949672960', 'dataset_uploads=default'])).toEqual({
      ...{ adapters: 20, dataset_bytes: 42_949_672_960, dataset_uploads: null },
    });
    expect(changes(['deployments=50', 'replicas=default'])).toEqual({ deployments: 50, replicas: null });
    expect(changes([])).toEqual({});
  });

  const names = [
    'keys, members, invitations, uploads, deployments, replicas, aliases, datasets, dataset_versions, dataset_bytes, file_bytes,',
    'examples, dataset_uploads, running_jobs, queued_jobs, job_tokens, month_tokens, adapters',
  ].join(' ');

  it.each([
    [['keis=2'], `It takes NAME=VALUE; the names are ${names}.`],
    [['keys'], `It takes NAME=VALUE; the names are ${names}.`],
    [['keys='], 'It takes a whole number.'],
    [['keys=-1'], 'It takes a whole number.'],
    [['uploads=0'], 'It is out of range: at least 1.'],
    [['keys=1', 'keys=2'], 'keys is written twice.'],
  ])('%j is refused', (words, message) => {
    expect(() => changes(words)).toThrow(new UsageError(message));
  });
});
