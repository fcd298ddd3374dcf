import { type AccountId, type DeploymentId, ServiceError } from '@slipway/contracts';
import type { RpcClient } from '@slipway/platform';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Candidate, chosenOf, provideDeployment } from './demo-deployment.js';
import type { LaunchContext } from './launch-context.js';
import type { LauncherState } from './launcher-state.js';

const SOURCE = { kind: 'http', url: 'http://127.0.0.1:9000', model: 'm' } as const;
const id = (n: number): DeploymentId => n as DeploymentId;
const candidate = (n: number, desired: Candidate['desired'], ...aliases: string[]): Candidate => ({ id: id(n), desired, aliases });

describe('the reused deployment', () => {
  it('is the target of demo, not the newest', () => {
    expect(chosenOf([candidate(1, 'ready', 'demo'), candidate(2, 'ready')])?.id).toBe(1);
    expect(chosenOf([candidate(1, 'ready'), candidate(2, 'ready')])?.id).toBe(2);
  });

  it('is never a stopped one', () => {
    expect(chosenOf([candidate(1, 'ready'), candidate(2, 'stopped', 'demo')])?.id).toBe(1);
    expect(chosenOf([candidate(1, 'stopped')])).toBeNull();
  });
});

let target: DeploymentId | null;
let replicas: number;
let remembered: Partial<LauncherState>;
const asked: string[] = [];

interface Asked {
  readonly deployment?: DeploymentId;
  readonly from?: DeploymentId | null;
  readonly replicas?: number;
}

const rpc = {
  call: (contract: { subject: string }, request: Asked) => {
    const [name = ''] = contract.subject.split('.').slice(-1);
    asked.push(name);
    if (name === 'list-deployments')
      return Promise.resolve({ deployments: [{ id: id(5), source: SOURCE, desired: 'ready', aliases: [], replicas }] });
    if (name === 'list-aliases') return Promise.resolve({ aliases: target === null ? [] : [{ alias: 'demo', deployment: target }] });
    if (name === 'scale-deployment') return Promise.resolve((replicas = request.replicas ?? 0));
    if (name !== 'point-alias') return Promise.reject(new Error(name));
    if (request.from !== target) return Promise.reject(new ServiceError('alias_taken', 'Taken.'));
    target = request.deployment ?? null;
    return Promise.resolve({});
  },
} as unknown as RpcClient;
const state = {
  get state() {
    return { credentials: {}, replicas: {}, ...remembered };
  },
  update: (change: Partial<LauncherState>) => Promise.resolve((remembered = { ...remembered, ...change })),
};

function start(workers = 1): Promise<string> {
  const options = { workers, upstreamKeyVariable: null, source: SOURCE };
  const context = { stage: { options, environment: {} }, state } as unknown as LaunchContext;
  return provideDeployment(context, rpc, 1 as AccountId).then(({ path }) => path);
}

beforeEach(() => {
  asked.length = 0;
  [target, replicas, remembered] = [null, 1, {}];
});

describe('the alias demo', () => {
  it('is created, and moved from the launcher’s former target', async () => {
    expect(await start()).toBe('local/demo');
    [target, remembered] = [id(2), { demo: 2 }];
    expect(await start()).toBe('local/demo');
    expect([target, remembered.demo]).toEqual([5, 5]);
  });

  it('stays where a person has pointed it', async () => {
    [target, remembered] = [id(3), { demo: 2 }];
    expect(await start()).toBe('deployment-5');
    expect(target).toBe(3);
    expect(asked).not.toContain('point-alias');
  });
});

describe('the replicas of a reused deployment', () => {
  it('follow the number of workers', async () => {
    for (const workers of [3, 2, 2]) {
      await start(workers);
      expect(replicas).toBe(workers);
    }
  });

  it('stay as a person has scaled them', async () => {
    await start(3);
    replicas = 1;
    await start(3);
    await start(2);
    expect(replicas).toBe(1);
    replicas = 3;
    await start(2);
    expect(replicas).toBe(2);
  });
});
