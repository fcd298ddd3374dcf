import { type AccountId, type DeploymentId, ServiceError } from '@slipway/contracts';
import type { RpcClient } from '@slipway/platform';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Candidate, chosenOf, provideDeployment } from './demo-deployment.js';
import type { LaunchContext } from './launch-context.js';

const SOURCE = { kind: 'http', url: 'http://127.0.0.1:9000', model: 'm' } as const;
const id = (n: number): DeploymentId => n as DeploymentId;
const candidate = (n: number, desired: Candidate['desired'], ...aliases: string[]): Candidate => ({ id: id(n), desired, aliases });

describe('the deployment that a start takes again', () => {
  it('is the one that demo points at, not the newest', () => {
    expect(chosenOf([candidate(1, 'ready', 'demo'), candidate(2, 'ready')])?.id).toBe(1);
    expect(chosenOf([candidate(1, 'ready'), candidate(2, 'ready')])?.id).toBe(2);
  });

  it('is never one that somebody stopped', () => {
    expect(chosenOf([candidate(1, 'ready'), candidate(2, 'stopped', 'demo')])?.id).toBe(1);
    expect(chosenOf([candidate(1, 'stopped')])).toBeNull();
  });
});

describe('the alias demo', () => {
  let target: DeploymentId | null;
  let remembered: number | undefined;
  const asked: string[] = [];

  const rpc = {
    call: (contract: { subject: string }, request: { deployment?: DeploymentId; from?: DeploymentId | null }) => {
      const [name = ''] = contract.subject.split('.').slice(-1);
      asked.push(name);
      if (name === 'list-deployments')
        return Promise.resolve({ deployments: [{ id: id(5), source: SOURCE, desired: 'ready', aliases: [], replicas: 1 }] });
      if (name === 'list-aliases') return Promise.resolve({ aliases: target === null ? [] : [{ alias: 'demo', deployment: target }] });
      if (name !== 'point-alias') return Promise.reject(new Error(name));
      if (request.from !== target) return Promise.reject(new ServiceError('alias_taken', 'Taken.'));
      target = request.deployment ?? null;
      return Promise.resolve({});
    },
  } as unknown as RpcClient;
  const state = {
    get state() {
      return { credentials: {}, demo: remembered };
    },
    update: (change: { demo?: number }) => Promise.resolve((remembered = change.demo)),
  };
  const options = { workers: 1, upstreamKeyVariable: null, source: SOURCE };
  const context = { stage: { options, environment: {} }, state } as unknown as LaunchContext;
  const start = (): Promise<string> => provideDeployment(context, rpc, 1 as AccountId).then(({ path }) => path);

  beforeEach(() => {
    asked.length = 0;
  });

  it('is made where there is none, and moved where the launcher had pointed it', async () => {
    [target, remembered] = [null, undefined];
    expect(await start()).toBe('local/demo');
    [target, remembered] = [id(2), 2];
    expect(await start()).toBe('local/demo');
    expect([target, remembered]).toEqual([5, 5]);
  });

  it('stays where a person pointed it, and the deployment is called by its slug', async () => {
    [target, remembered] = [id(3), 2];
    expect(await start()).toBe('deployment-5');
    expect(target).toBe(3);
    expect(asked).not.toContain('point-alias');
  });
});
