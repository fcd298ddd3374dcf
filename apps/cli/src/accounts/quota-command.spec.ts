import type { RpcContract } from '@slipway/contracts';
import { UnansweredError } from '@slipway/platform';
import { describe, expect, it } from 'vitest';
import { CliError, UsageError } from '../cli-errors.js';
import type { Call } from '../command.js';
import type { Session } from '../session/session.js';
import { quota, quotaChanges } from './quota-command.js';

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

describe('the quotas of an account', () => {
  const absent = new UnansweredError('absent', 'tun.dev.v1.rpc.find-account-quotas', undefined);
  const own = { keys: 200, members: 100, invitations: 50, deployments: 20, replicas: 40, aliases: 40 };
  const ofTuning = { datasets: 3, versions: 2, bytes: 5, file_bytes: 1, examples: 30, uploads: 0, running_jobs: 1, queued_jobs: 0 };
  const tuning = { ...ofTuning, job_tokens: 9, month_tokens: 9, adapters: 2 };

  /** Runs the command with services that answer from here. */
  async function run(changes: string[], hasTuning = true): Promise<{ text: string; note: string | undefined; asked: [string, unknown][] }> {
    const asked: [string, unknown][] = [];
    const call = ({ subject, owner }: RpcContract, request: object): Promise<unknown> => {
      const name = `${owner} ${subject.split('.').at(-1)}`;
      asked.push([name, 'quotas' in request ? request.quotas : null]);
      if (name === 'keys find-account') return Promise.resolve({ account: { id: 1, slug: 'acme' } });
      if (owner === 'tuning' && !hasTuning) return Promise.reject(new CliError('unavailable', 'It does not run.', {}, { cause: absent }));
      const counts = owner === 'tuning' ? tuning : own;
      return Promise.resolve({
        id: 1,
        slug: 'acme',
        quotas: { adapters: 20 },
        defaults: counts,
        used: counts,
        propagated: true,
        missing: [],
      });
    };
    quota.parse(['acme', ...changes], { from: 'user' });
    const action = quota.plan({ cwd: '/', variable: () => undefined, terminal: {} as Call['terminal'] });
    const answer = await action({ call, accountOption: undefined } as unknown as Session);
    return { text: answer?.text ?? '', note: answer?.note, asked };
  }

  it('hold data sets, jobs and adapters too', async () => {
    const { text, note } = await run([]);
    expect(text).toMatch(/^dataset_versions +2 +2 +default$/m);
    expect(text).toMatch(/^adapters +2 +20 +set$/m);
    expect(note).toBeUndefined();
  });

  it('are set by the service that counts them', async () => {
    const { asked } = await run(['dataset_bytes=7', 'adapters=default']);
    expect(asked).toContainEqual(['tuning set-account-quotas', { bytes: 7, adapters: null }]);
    expect(asked.map(([name]) => name)).not.toContain('keys set-account-quotas');
  });

  it('are shown without those of a tuning-service that does not run', async () => {
    const { text, note } = await run([], false);
    expect(text).not.toContain('dataset_bytes');
    expect(note).toContain('tuning-service does not run');
  });
});
