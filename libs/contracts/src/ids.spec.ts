import { describe, expect, it } from 'vitest';
import {
  AccountSlug,
  AliasName,
  DeploymentId,
  EnvironmentName,
  Incarnation,
  StreamId,
  agentOfRunner,
  deploymentOfRunner,
  deploymentSlug,
  parseDeploymentSlug,
  runnerName,
} from './ids.js';

const NOT_ONE_TOKEN = ['', '*', '>', 'a.b', '.', 'a b', 'a\tb', 'a\nb', 'a\r\nPUB x 0', 'ä', 'a\u0000', 'x'.repeat(65)];

describe('ids that become subject tokens', () => {
  it.each(NOT_ONE_TOKEN)('%j is no incarnation and no stream id', (text) => {
    expect(Incarnation.safeParse(text).success).toBe(false);
    expect(StreamId.safeParse(text).success).toBe(false);
  });

  it.each(['a', 'Z9_-', 'x'.repeat(64)])('%j is one', (text) => {
    expect(Incarnation.parse(text)).toBe(text);
    expect(StreamId.parse(text)).toBe(text);
  });

  it.each(['', 'Dev', '1dev', 'dev.1', 'dev*', 'dev\n', 'd'.repeat(17)])('%j is no environment name', (text) => {
    expect(EnvironmentName.safeParse(text).success).toBe(false);
  });
});

describe('names of runners', () => {
  it('tell agent and deployment, the largest too', () => {
    const agent = Incarnation.parse('A'.repeat(22));
    for (const id of [1, 2_147_483_647]) {
      const name = runnerName(agent, DeploymentId.parse(id), 'z'.repeat(22));
      expect([agentOfRunner(name), deploymentOfRunner(name)]).toEqual([agent, id]);
    }
  });

  it.each(['agent', 'agent-x1', 'run-77aa', 'agent-0_x', 'agent-01_x', 'agent-9999999999_x', 'agent-1_', '-1_x', 'agent-1_x-y', '1_x'])(
    '%j tells no deployment',
    (name) => {
      expect(deploymentOfRunner(name)).toBeNull();
    },
  );
});

describe('deployment slugs', () => {
  it('lead back to the id they were made of', () => {
    for (const id of [1, 42, 2_147_483_647]) expect(parseDeploymentSlug(deploymentSlug(DeploymentId.parse(id)))).toBe(id);
  });

  it.each([
    'deployment-0',
    'deployment-01',
    'deployment--1',
    'deployment-1.0',
    'deployment-1e3',
    'deployment-+1',
    'deployment-2147483648',
    'deployment-99999999999',
    'deployment-1\n',
    'Deployment-1',
    ' deployment-1',
    'deployment-',
    '1',
  ])('%j is none', (slug) => {
    expect(parseDeploymentSlug(slug)).toBeNull();
  });
});

describe('account slugs and aliases', () => {
  it.each(['v1', 'api', 'mcp', 'openapi', 'openapi.json', 'metrics', 'livez', 'readyz', 'sign-in', 'join', 'deployment-7', 'deployment-x'])(
    '%j is reserved',
    (name) => {
      expect(AccountSlug.safeParse(name).success).toBe(false);
      expect(AliasName.safeParse(name).success).toBe(false);
    },
  );

  it.each(['abc', 'a1-b', 'a'.repeat(40)])('%j is an account slug', (slug) => {
    expect(AccountSlug.parse(slug)).toBe(slug);
  });

  it.each(['ab', 'a'.repeat(41), '1ab', 'ab-', 'a_b', 'a.b', 'ABC', 'a/b', 'abc\n'])('%j is no account slug', (slug) => {
    expect(AccountSlug.safeParse(slug).success).toBe(false);
  });

  it.each(['qwen2.5-7b', '7b', 'a', 'a_b', 'a'.repeat(63)])('%j is an alias, as people name models', (name) => {
    expect(AliasName.parse(name)).toBe(name);
  });

  it.each(['', '.a', '-a', '_a', 'A', 'a/b', 'a b', 'a%2f', 'a'.repeat(64), 'a\n'])('%j is no alias', (name) => {
    expect(AliasName.safeParse(name).success).toBe(false);
  });
});
