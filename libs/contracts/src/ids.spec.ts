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

describe('ids in subjects', () => {
  it.each(NOT_ONE_TOKEN)('refuses %j as incarnation and stream id', (text) => {
    expect(Incarnation.safeParse(text).success).toBe(false);
    expect(StreamId.safeParse(text).success).toBe(false);
  });

  it.each(['a', 'Z9_-', 'x'.repeat(64)])('accepts %j as an id', (text) => {
    expect(Incarnation.parse(text)).toBe(text);
    expect(StreamId.parse(text)).toBe(text);
  });

  it.each(['', 'Dev', '1dev', 'dev.1', 'dev*', 'dev\n', 'd'.repeat(17)])('refuses %j as environment name', (text) => {
    expect(EnvironmentName.safeParse(text).success).toBe(false);
  });
});

describe('runnerName', () => {
  it('contains the agent and the deployment', () => {
    const agent = Incarnation.parse('A'.repeat(22));
    for (const id of [1, 2_147_483_647]) {
      const name = runnerName(agent, DeploymentId.parse(id), 'z'.repeat(22));
      expect([agentOfRunner(name), deploymentOfRunner(name)]).toEqual([agent, id]);
    }
  });

  it.each(['agent', 'agent-x1', 'run-77aa', 'agent-0_x', 'agent-01_x', 'agent-9999999999_x', 'agent-1_', '-1_x', 'agent-1_x-y', '1_x'])(
    'finds no deployment in %j',
    (name) => {
      expect(deploymentOfRunner(name)).toBeNull();
    },
  );
});

describe('deploymentSlug', () => {
  it('can be read back to its id', () => {
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
  ])('does not read %j as a slug', (slug) => {
    expect(parseDeploymentSlug(slug)).toBeNull();
  });
});

describe('account slugs and aliases', () => {
  it.each(['v1', 'api', 'mcp', 'openapi', 'openapi.json', 'metrics', 'livez', 'readyz', 'sign-in', 'join', 'deployment-7', 'deployment-x'])(
    'reserves %j',
    (name) => {
      expect(AccountSlug.safeParse(name).success).toBe(false);
      expect(AliasName.safeParse(name).success).toBe(false);
    },
  );

  it.each(['abc', 'a1-b', 'a'.repeat(40)])('accepts %j as account slug', (slug) => {
    expect(AccountSlug.parse(slug)).toBe(slug);
  });

  it.each(['ab', 'a'.repeat(41), '1ab', 'ab-', 'a_b', 'a.b', 'ABC', 'a/b', 'abc\n'])('refuses %j as account slug', (slug) => {
    expect(AccountSlug.safeParse(slug).success).toBe(false);
  });

  it.each(['qwen2.5-7b', '7b', 'a', 'a_b', 'a'.repeat(63)])('accepts %j as an alias', (name) => {
    expect(AliasName.parse(name)).toBe(name);
  });

  it.each(['', '.a', '-a', '_a', 'A', 'a/b', 'a b', 'a%2f', 'a'.repeat(64), 'a\n'])('refuses %j as an alias', (name) => {
    expect(AliasName.safeParse(name).success).toBe(false);
  });
});
