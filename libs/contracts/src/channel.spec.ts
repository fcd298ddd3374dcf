import { describe, expect, it } from 'vitest';
import { callerOf, callSubjectOf, ROLES, servedSubjectsOf, subjectOf, wildcardOf } from './channel.js';
import { CONTRACTS } from './contracts.js';
import { Frames } from './inference/frames.js';

const tokens = { env: 'dev', gw: 'gw-1', st: 'abc', at: 3 };
const NOT_ONE_TOKEN = ['', '*', '>', 'a.b', 'a.*', '.', ' ', 'a b', 'a\tb', 'a\nb', 'x 0\r\nPUB y 0', 'ä', '\u0000', 'x'.repeat(65)];

describe('subjectOf', () => {
  it('writes each value as exactly one token', () => {
    expect(subjectOf(Frames, tokens)).toBe('inf.dev.v1.g.gw-1.r.abc.3');
  });

  it.each(NOT_ONE_TOKEN)('refuses %j as a token', (value) => {
    for (const name of ['env', 'gw', 'st', 'at']) {
      expect(() => subjectOf(Frames, { ...tokens, [name]: value })).toThrow(TypeError);
      expect(() => wildcardOf(Frames, { ...tokens, [name]: value })).toThrow(TypeError);
    }
  });

  it('refuses a missing token', () => {
    const { st: _, ...rest } = tokens;
    expect(() => subjectOf(Frames, rest as typeof tokens)).toThrow(/"st"/);
    expect(() => subjectOf(Frames, { ...rest, st: undefined } as never)).toThrow(/"st"/);
  });

  it('keeps the refused value out of its error', () => {
    expect(() => subjectOf(Frames, { ...tokens, st: 'svc_dep_secret.x' })).toThrow(/^(?!.*secret).*$/s);
  });

  it('has wildcards for the open tokens only', () => {
    expect(wildcardOf(Frames, { env: 'dev' })).toBe('inf.dev.v1.g.*.r.*.*');
    expect(wildcardOf(Frames, { env: 'dev', gw: 'gw-1' })).toBe('inf.dev.v1.g.gw-1.r.*.*');
  });
});

describe('callerOf', () => {
  const open = { subject: 'key.{env}.v1.rpc.a', callers: ['console', 'ops'] } as const;
  const single = { subject: 'dep.{env}.v1.wrk.{wk}.rpc.b', callers: ['deployments'] } as const;

  it('reads the caller from the last token', () => {
    const subject = callSubjectOf(open, { env: 'dev' }, 'ops');
    expect([subject, callerOf(open, subject)]).toEqual(['key.dev.v1.rpc.a.ops', 'ops']);
    expect(servedSubjectsOf(open, 'key.dev.v1.rpc.a')).toEqual(['key.dev.v1.rpc.a.*']);
  });

  it('knows no caller where the role may not call', () => {
    for (const role of ROLES.filter((one) => !open.callers.some((caller) => caller === one))) {
      expect(callerOf(open, `key.dev.v1.rpc.a.${role}`)).toBeNull();
    }
    expect([callerOf(open, 'key.dev.v1.rpc.a'), callerOf(open, 'key.dev.v1.rpc.a.opsx')]).toEqual([null, null]);
  });

  it('takes the only caller where none is named', () => {
    expect(servedSubjectsOf(single, 'dep.dev.v1.wrk.a.rpc.b')).toEqual(['dep.dev.v1.wrk.a.rpc.b.*', 'dep.dev.v1.wrk.a.rpc.b']);
    expect(callerOf(single, 'dep.dev.v1.wrk.a.rpc.b')).toBe('deployments');
    expect(callerOf(single, 'dep.dev.v1.wrk.a.rpc.b.deployments')).toBe('deployments');
    expect(callerOf(single, 'dep.dev.v1.wrk.a.rpc.b.worker')).toBeNull();
  });
});

describe('CONTRACTS', () => {
  it('names every subject once', () => {
    const subjects = CONTRACTS.map((contract) => contract.subject);
    expect(subjects.length).toBe(new Set(subjects).size);
  });

  it('has environment and version in every subject', () => {
    for (const { subject } of CONTRACTS) expect(subject).toMatch(/^[a-z]+\.\{env\}\.v\d+(\.([a-z0-9-]+|\{[a-z]+\}))+$/);
  });
});
