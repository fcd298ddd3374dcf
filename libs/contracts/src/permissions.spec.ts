import { describe, expect, it } from 'vitest';
import { PLAIN_ROLES, type Proof, ROLES, type Role, type RpcContract, wildcardOf } from './channel.js';
import { CONTRACTS } from './contracts.js';
import { type Permissions, inboxPrefix, permissionsOf } from './permissions.js';

const env = 'dev';
const granted = new Map(ROLES.map((role) => [role, permissionsOf(role, env)]));
const of = (role: Role): Permissions => granted.get(role)!;
const patterns = new Map<string, RegExp>();

const WILDCARDS: Record<string, string> = { '*': '[^.]+', '>': '.+', '{{name()}}': '[^.]+' };

function compiled(pattern: string): RegExp {
  const tokens = pattern.split('.').map((token) => WILDCARDS[token] ?? token.replace('$', '\\$'));
  const made = new RegExp(`^${tokens.join('\\.')}$`);
  patterns.set(pattern, made);
  return made;
}

/** NATS matching of a pattern on a subject without wildcards: `*` is one token, `>` one or more. */
const matches = (pattern: string, subject: string): boolean => (patterns.get(pattern) ?? compiled(pattern)).test(subject);

const mayPublish = (role: Role, subject: string): boolean => of(role).publish.some((pattern) => matches(pattern, subject));
const mayRead = (role: Role, subject: string): boolean => of(role).subscribe.some((entry) => matches(entry.split(' ')[0] ?? '', subject));

const example = (pattern: string): string => pattern.replaceAll('*', 'x1');
const publishersOf = (subject: string): Role[] => ROLES.filter((role) => mayPublish(role, subject));
/** Roles that may ask an RPC; none of them under the name of another. */
function callersOf(subject: string): Role[] {
  for (const role of ROLES) expect(publishersOf(`${subject}.${role}`).filter((caller) => caller !== role)).toEqual([]);
  return ROLES.filter((role) => mayPublish(role, `${subject}.${role}`));
}
const readersOf = (subject: string): Role[] => ROLES.filter((role) => mayRead(role, subject));

describe('permissionsOf', () => {
  it('lets only the owner write a feed', () => {
    for (const hint of ['chg', 'tick']) {
      expect(publishersOf(`key.dev.v1.${hint}`)).toEqual(['keys']);
      expect(publishersOf(`dep.dev.v1.${hint}`)).toEqual(['deployments']);
    }
  });

  it('lets only the console sign people in', () => {
    for (const name of [
      'sign-in',
      'begin-sign-in-external',
      'refresh-session',
      'accept-invitation',
      'change-password',
      'find-user',
      'open-mcp-key',
      'record-mcp-use',
      'open-playground',
    ]) {
      expect(callersOf(`key.dev.v1.rpc.${name}`)).toEqual(['console']);
    }
    for (const name of [
      'create-setup-link',
      'rotate-session-key',
      'create-account',
      'list-accounts',
      'find-account',
      'list-workers',
      'expel-worker',
    ])
      expect(callersOf(`key.dev.v1.rpc.${name}`)).toEqual(['ops']);
    for (const hint of ['chg', 'tick']) {
      expect([publishersOf(`session.dev.v1.${hint}`), readersOf(`session.dev.v1.${hint}`)]).toEqual([
        ['keys'],
        ['deployments', 'console', 'tuning'],
      ]);
    }
  });

  it('lets only gateways start and cancel streams', () => {
    expect(publishersOf('inf.dev.v1.w.run-1.start')).toEqual(['gateway']);
    expect(publishersOf('inf.dev.v1.w.run-1.ctl')).toEqual(['gateway']);
  });

  it('shows prompts to workers, answers to gateways', () => {
    expect(readersOf('inf.dev.v1.w.run-1.start')).toEqual(['worker', 'runner']);
    expect(readersOf('inf.dev.v1.g.gw-1.r.st.1')).toEqual(['gateway']);
  });

  it('sends assignments from deployments-service to workers alone', () => {
    expect([publishersOf('dep.dev.v1.wrk.agent-1'), readersOf('dep.dev.v1.wrk.agent-1')]).toEqual([['deployments'], ['worker', 'agent']]);
    const test = 'dep.dev.v1.wrk.agent-1.rpc.test-engine';
    expect([callersOf(test), readersOf(`${test}.deployments`)]).toEqual([['deployments'], ['worker', 'agent']]);
  });

  it('lets each role call under its name', () => {
    for (const rpc of CONTRACTS.filter((contract) => contract.kind === 'rpc')) {
      const subject = example(wildcardOf(rpc, { env }));
      expect(callersOf(subject)).toEqual(ROLES.filter((role) => rpc.callers.includes(role)));
      expect(publishersOf(subject)).toEqual(rpc.callers.length === 1 ? rpc.callers : []);
    }
  });

  it('lets each role read its own inbox', () => {
    for (const role of ROLES) expect(readersOf(`${inboxPrefix(role)}.x.1`)).toEqual([role]);
  });

  it('lets each role answer its own requests', () => {
    for (const caller of ROLES) {
      for (const owner of ROLES) {
        const publishers = publishersOf(`${inboxPrefix(caller)}.c1.${owner}.t1`);
        expect(publishers.filter((role) => role !== owner)).toEqual([]);
      }
      // The last is where the NATS client itself takes answers and deliveries of JetStream: two tokens of its own choice.
      for (const place of ['c1', 'c1.t1', 'c1.n1.t1']) {
        expect(publishersOf(`${inboxPrefix(caller)}.${place}`)).toEqual([]);
      }
    }
  });

  it('keeps gateways and workers from the control plane', () => {
    for (const subject of ['key.dev.v1.rpc.create-key', 'key.dev.v1.rpc.create-invitation', 'tun.dev.v1.rpc.create-job']) {
      expect(callersOf(subject)).toEqual(['console', 'ops']);
    }
    expect(callersOf('dep.dev.v1.rpc.create-deployment')).toEqual(['console', 'ops', 'tuning']);
  });

  it('trusts services with five calls alone', () => {
    const trusting = CONTRACTS.filter((contract) => contract.kind === 'rpc' && contract.trusted !== undefined) as RpcContract[];
    expect(new Map(trusting.map(({ subject, trusted }) => [subject, trusted]))).toEqual(
      new Map([
        ['dep.{env}.v1.rpc.create-deployment', ['tuning']],
        ['dep.{env}.v1.rpc.find-deployment', ['tuning']],
        ['tun.{env}.v1.rpc.find-adapter', ['deployments']],
        ['tun.{env}.v1.rpc.find-suite', ['deployments']],
        ['dep.{env}.v1.rpc.point-alias', ['tuning']],
      ]),
    );
  });

  it('shows training to tuning-service and its workers alone', () => {
    expect([publishersOf('tun.dev.v1.hb.tw-1'), readersOf('tun.dev.v1.hb.tw-1')]).toEqual([['trainer'], ['tuning']]);
    expect([publishersOf('tun.dev.v1.wrk.tw-1'), readersOf('tun.dev.v1.wrk.tw-1')]).toEqual([['tuning'], ['trainer']]);
    for (const call of ['report-training', 'report-measure', 'store-blob', 'report-import', 'store-import-blob'])
      expect(callersOf(`tun.dev.v1.rpc.${call}`)).toEqual(['trainer']);
  });

  it('serves requests in one queue group', () => {
    for (const role of PLAIN_ROLES) {
      const questions = of(role).subscribe.filter((entry) => entry.includes('.rpc.'));
      for (const entry of questions) expect(entry).toMatch(/^\S+ \S+$/);
    }
  });

  it('permits no system account and no other environment', () => {
    for (const role of ROLES) {
      const held = [...of(role).publish, ...of(role).subscribe];
      for (const subject of ['anything', '$SYS.REQ.USER.INFO', '_INBOX.abc', 'key.prod.v1.chg', 'inf.prod.v1.disc']) {
        expect(held.filter((entry) => matches(entry.split(' ')[0] ?? '', subject))).toEqual([]);
      }
    }
  });

  it('lets boot manage streams and keys-service consume', () => {
    for (const call of ['STREAM.CREATE.usage_dev', 'STREAM.DELETE.usage_dev', 'STREAM.PURGE.usage_dev', 'CONSUMER.DELETE.usage_dev.keys']) {
      expect(publishersOf(`$JS.API.${call}`)).toEqual(['boot']);
    }
    for (const call of ['INFO', 'STREAM.INFO.usage_dev', 'CONSUMER.INFO.usage_dev.keys', 'CONSUMER.CREATE.usage_dev.keys']) {
      expect(publishersOf(`$JS.API.${call}`)).toEqual(['boot']);
    }
    expect(publishersOf('$JS.API.CONSUMER.MSG.NEXT.usage_dev.keys')).toEqual(['keys', 'boot']);
    expect(publishersOf('$JS.ACK.usage_dev.keys.1.1.1.1.0')).toEqual(['keys']);
  });

  it('lets gateways alone read and remove stored responses', () => {
    for (const subject of ['$KV.responses_dev.r.7', '$JS.API.DIRECT.GET.KV_responses_dev.$KV.responses_dev.r.7']) {
      expect(publishersOf(subject).filter((role) => role !== 'boot')).toEqual(['gateway']);
    }
    for (const call of ['STREAM.MSG.GET', 'STREAM.PURGE']) {
      expect(publishersOf(`$JS.API.${call}.KV_responses_dev`)).toEqual(['gateway', 'boot']);
    }
    for (const call of ['STREAM.DELETE', 'STREAM.UPDATE', 'STREAM.CREATE', 'CONSUMER.CREATE']) {
      expect(publishersOf(`$JS.API.${call}.KV_responses_dev`)).toEqual(['boot']);
    }
    expect(readersOf('$KV.responses_dev.r.7')).toEqual([]);
  });

  it('lets only operators limit, suspend and delete', () => {
    expect(callersOf('key.dev.v1.rpc.set-account-limits')).toEqual(['ops']);
    expect(callersOf('key.dev.v1.rpc.set-account-state')).toEqual(['ops']);
    expect(callersOf('key.dev.v1.rpc.set-user-state')).toEqual(['ops']);
    expect(callersOf('key.dev.v1.rpc.delete-user')).toEqual(['ops']);
    expect(callersOf('key.dev.v1.rpc.delete-account')).toEqual(['ops']);
  });

  it('lets only operators look into running processes', () => {
    for (const role of ['gateway', 'worker', 'keys', 'deployments', 'console', 'tuning', 'trainer']) {
      for (const call of ['read-process', 'set-log-level']) {
        const subject = `sys.dev.v1.${role}.wk-1.rpc.${call}`;
        expect([callersOf(subject), publishersOf(subject)]).toEqual([['ops'], ['ops']]);
        expect(readersOf(`${subject}.ops`)).toEqual(role === 'worker' ? ['worker', 'agent'] : [role]);
      }
    }
  });

  it('takes usage from gateways and workers alone', () => {
    expect([publishersOf('usage.dev.v1.rec'), publishersOf('usage.dev.v1.orphan')]).toEqual([['gateway'], ['worker', 'runner']]);
    expect([...readersOf('usage.dev.v1.rec'), ...readersOf('usage.dev.v1.orphan')]).toEqual([]);
  });

  it('requires a proof for every console call', () => {
    const HELD: Partial<Record<Proof, string>> = {
      viewer: 'account',
      member: 'account',
      owner: 'account',
      self: 'user',
      session: 'session',
      key: 'key',
    };
    for (const rpc of CONTRACTS.filter((contract) => contract.kind === 'rpc' && contract.callers.includes('console')) as RpcContract[]) {
      expect([rpc.subject, rpc.proof]).toEqual([rpc.subject, expect.any(String)]);
      const field = HELD[rpc.proof!];
      const shape = (rpc.request as unknown as { shape: Record<string, { safeParse(value: unknown): { success: boolean } }> }).shape;
      if (field !== undefined) expect([rpc.subject, shape[field]?.safeParse(undefined).success]).toEqual([rpc.subject, false]);
    }
  });

  it('has inboxes that are no prefixes of others', () => {
    const inboxes = ROLES.map(inboxPrefix);
    for (const inbox of inboxes) expect(inboxes.filter((other) => other.startsWith(`${inbox}.`))).toEqual([]);
  });
});
