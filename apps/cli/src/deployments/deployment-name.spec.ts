import { type DeploymentView, DeploymentView as View } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { UsageError } from '../cli-errors.js';
import { aliasReference, deploymentReference, pickDeployment } from './deployment-name.js';

const aDeployment = (id: number, ...aliases: string[]): DeploymentView =>
  View.parse({
    id,
    name: `model ${id}`,
    aliases,
    source: { kind: 'file', path: '/models/x.gguf' },
    desired: 'ready',
    state: 'ready',
    reason: null,
    detail: null,
    progress: null,
    rev: 1,
    replicas: 1,
    ready_replicas: 1,
  });

const pick = (deployments: DeploymentView[], text: string): number => pickDeployment(deployments, deploymentReference(text), 'acme').id;

describe('a deployment is named', () => {
  const all = [aDeployment(1, 'demo', 'qwen2.5-7b'), aDeployment(2, '42')];

  it.each([
    ['its slug', 'deployment-1', 1],
    ['its number', '2', 2],
    ['an alias', 'qwen2.5-7b', 1],
    ['an alias that is a number', '42', 2],
    ['an alias with its account', 'acme/demo', 1],
    ['an alias that is a number, with its account', 'acme/42', 2],
  ])('by %s', (_, text, id) => {
    expect(pick(all, text)).toBe(id);
  });

  it.each(['deployment-9', '9', 'other', 'acme/1'])('not by %s', (text) => {
    expect(() => pick(all, text)).toThrow(/^There is no deployment "\S+" in account acme\.$/);
  });

  it('not by a number that is another’s alias', () => {
    const both = [aDeployment(1), aDeployment(2, '1')];
    expect(() => pick(both, '1')).toThrow('"1" is the number of deployment-1 and an alias of deployment-2');
    expect([pick(both, 'deployment-1'), pick(both, 'acme/1')]).toEqual([1, 2]);
  });
});

it.each(['', 'Demo', 'deployment-x', 'deployment-01', 'a/b/c', '/demo', 'acme/', 'A/demo', 'v1', 'acme/-x'])(
  '"%s" can name no deployment',
  (text) => {
    expect(() => deploymentReference(text)).toThrow(UsageError);
  },
);

it('an alias may be written with its account', () => {
  expect(aliasReference('demo')).toEqual({ account: null, alias: 'demo' });
  expect(aliasReference('acme/demo')).toEqual({ account: 'acme', alias: 'demo' });
});
