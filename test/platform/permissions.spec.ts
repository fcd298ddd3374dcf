import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  CONTRACTS,
  type Contract,
  inboxPrefix,
  PLAIN_ROLES,
  type PlainRole,
  ROLES,
  type Role,
  servedSubjectsOf,
  wildcardOf,
} from '@slipway/contracts';
import { connectNats, createLogger, type NatsConnection, renderNatsConf } from '@slipway/platform';
import { freePorts, TestNatsServer } from '@slipway/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const env = 'probe';
const passwords = Object.fromEntries(PLAIN_ROLES.map((role) => [role, `${role}-secret`])) as Record<PlainRole, string>;
const log = createLogger('test', 'silent');

/** A subject that a `*` of the pattern stands for. */
const example = (pattern: string): string => pattern.replaceAll('*', 'x1').replace('>', 'y1');

let server: TestNatsServer;
let credentialsDir: string;

const connectAs = (role: Role): Promise<NatsConnection> =>
  connectNats({ url: server.url, role, credentialsDir, name: `probe-${role}`, log });

/** The given subjects that the server refuses to this connection. */
async function refusals(nats: NatsConnection, act: (subject: string) => void, subjects: readonly string[]): Promise<Set<string>> {
  const refused = new Set<string>();
  void (async () => {
    for await (const status of nats.status()) {
      const subject = status.type === 'error' ? (status.error as { subject?: string }).subject : undefined;
      if (subject !== undefined) refused.add(subject);
    }
  })();
  // In parts: behind thousands of refusals an answer to a ping takes so long that the connection is given up.
  for (let from = 0; from < subjects.length; from += 250) {
    for (const subject of subjects.slice(from, from + 250)) act(subject);
    await nats.flush();
  }
  // Refusals arrive before the answer to the flush, but reach the status iterator one turn later.
  await sleep(20);
  return refused;
}

beforeAll(async () => {
  credentialsDir = await mkdtemp(join(tmpdir(), 'slipway-creds-'));
  for (const role of PLAIN_ROLES)
    await writeFile(join(credentialsDir, `${role}.json`), JSON.stringify({ user: role, password: passwords[role] }));
  const [port = 0] = await freePorts(1);
  const storeDir = join(credentialsDir, 'jetstream');
  server = await TestNatsServer.start({
    port,
    config: renderNatsConf({ env, host: '127.0.0.1', port, serverName: 'probe', storeDir, passwords }),
  });
});

afterAll(async () => {
  await server.end();
  await rm(credentialsDir, { recursive: true, force: true });
});

/** True when everything that matches `subject` also matches `pattern`. */
const covers = (pattern: string, subject: string): boolean => {
  const tokens = subject.split('.');
  const parts = pattern.split('.');
  return tokens.length === parts.length && parts.every((part, i) => part === '*' || part === tokens[i]);
};

/** An example of a contract's subject, sent by this role where it names that. */
const subjectBy = (role: Role, { subject }: Contract): string => example(wildcardOf({ subject: subject.replace('{role}', role) }, { env }));

/** All subjects on which a contract could be published: for RPCs under the name of every role, and under none. */
function published(contract: Contract): string[] {
  if (contract.subject.includes('{role}')) return ROLES.map((role) => subjectBy(role, contract));
  const subject = example(wildcardOf(contract, { env }));
  return contract.kind === 'rpc' ? [subject, ...ROLES.map((role) => `${subject}.${role}`)] : [subject];
}

/** The part of them that the role may publish. */
function mayPublish(role: Role, contract: Contract): string[] {
  const subject = subjectBy(role, contract);
  if (contract.kind === 'event') return contract.publishers.includes(role) ? [subject] : [];
  if (!contract.callers.includes(role)) return [];
  return contract.callers.length === 1 ? [subject, `${subject}.${role}`] : [`${subject}.${role}`];
}

/** Subjects of a contract's subscribers. */
const listened = (contract: Contract): string[] => {
  const subject = wildcardOf(contract, { env });
  return contract.kind === 'rpc' ? servedSubjectsOf(contract, subject) : [subject];
};
const maySubscribe = (role: Role, contract: Contract): boolean =>
  contract.kind === 'rpc' ? contract.owner === role : contract.subscribers.includes(role);

describe.each(PLAIN_ROLES)('the NATS user %s', (role) => {
  let nats: NatsConnection;
  beforeAll(async () => {
    nats = await connectAs(role);
  });
  afterAll(() => nats.close());

  it('publishes only on subjects of its contracts', async () => {
    const subjects = CONTRACTS.flatMap(published);
    const refused = await refusals(nats, (subject) => nats.publish(subject, '{}'), subjects);
    const allowed = CONTRACTS.flatMap((contract) => mayPublish(role, contract));
    expect(subjects.filter((subject) => !refused.has(subject)).sort()).toEqual([...new Set(allowed)].sort());
  });

  it('subscribes only to subjects of its contracts', async () => {
    const wanted = CONTRACTS.flatMap((contract) => listened(contract).map((subject) => ({ contract, subject })));
    const queues = new Map(wanted.map(({ contract, subject }) => [subject, contract.kind === 'rpc' ? contract.queue : undefined]));
    const subscribe = (subject: string): void => {
      const queue = queues.get(subject);
      nats.subscribe(subject, { callback: () => undefined, ...(queue !== undefined && { queue }) });
    };
    const subjects = [...queues.keys()];
    const refused = await refusals(nats, subscribe, subjects);
    const granted = wanted.filter(({ contract }) => maySubscribe(role, contract)).map(({ subject }) => subject);
    const allowed = subjects.filter((subject) => granted.some((pattern) => covers(pattern, subject)));
    expect(subjects.filter((subject) => !refused.has(subject)).sort()).toEqual(allowed.sort());
  });

  it('cannot read the inboxes of other roles', async () => {
    const foreign = [...ROLES.filter((other) => other !== role).map((other) => `${inboxPrefix(other)}.>`), '_INBOX.>', '>', `inf.${env}.>`];
    const refused = await refusals(nats, (subject) => nats.subscribe(subject, { callback: () => undefined }), foreign);
    expect([...refused].sort()).toEqual([...foreign].sort());
  });

  it('replies only in its own name', async () => {
    const inboxes = ROLES.flatMap((caller) => [
      `${inboxPrefix(caller)}.x1`,
      `${inboxPrefix(caller)}.x1.y1`,
      `${inboxPrefix(caller)}.x1.n1.y1`,
      ...ROLES.flatMap((owner) => [`${inboxPrefix(caller)}.x1.${owner}.y1`, `${inboxPrefix(caller)}.x1.${owner}.x1.y1`]),
    ]);
    const refused = await refusals(nats, (subject) => nats.publish(subject, '{}'), inboxes);
    const asked = (caller: Role): boolean => CONTRACTS.some((c) => c.kind === 'rpc' && c.owner === role && c.callers.includes(caller));
    const own = ROLES.filter(asked).flatMap((caller) => [
      `${inboxPrefix(caller)}.x1.${role}.y1`,
      `${inboxPrefix(caller)}.x1.${role}.x1.y1`,
    ]);
    expect(inboxes.filter((subject) => !refused.has(subject)).sort()).toEqual(own.sort());
  });

  it('cannot publish in another environment', async () => {
    const foreign = CONTRACTS.map((contract) => example(wildcardOf(contract, { env: 'other' })));
    const refused = await refusals(nats, (subject) => nats.publish(subject, '{}'), foreign);
    expect([...refused].sort()).toEqual([...new Set(foreign)].sort());
  });
});

describe('the permissions that matter most', () => {
  it.each([
    ['worker', `key.${env}.v1.chg`],
    ['worker', `dep.${env}.v1.chg`],
    ['worker', `key.${env}.v1.rpc.create-key.worker`],
    ['gateway', `key.${env}.v1.rpc.create-key.gateway`],
    ['console', `key.${env}.v1.rpc.create-key.ops`],
    ['console', `key.${env}.v1.rpc.create-key`],
    ['gateway', `dep.${env}.v1.wrk.x1`],
    ['deployments', `key.${env}.v1.chg`],
    ['console', `inf.${env}.v1.w.x1.start`],
    ['ops', `inf.${env}.v1.g.x1.r.x1.1`],
  ] as const)('%s may not publish %s', async (role, subject) => {
    const nats = await connectAs(role);
    const refused = await refusals(nats, (s) => nats.publish(s, '{}'), [subject]);
    await nats.close();
    expect(refused.has(subject)).toBe(true);
  });

  it('lets boot ask JetStream', async () => {
    const boot = await connectAs('boot');
    const info = (await boot.request('$JS.API.INFO', '', { timeout: 2_000 })).json<{ type: string }>();
    await boot.close();
    expect(info.type).toContain('account_info_response');
  });

  it.each(PLAIN_ROLES.filter((role) => role !== 'boot'))('%s may not ask JetStream', async (role) => {
    const nats = await connectAs(role);
    const refused = await refusals(nats, (s) => nats.publish(s), ['$JS.API.INFO']);
    await nats.close();
    expect(refused.has('$JS.API.INFO')).toBe(true);
  });

  // Calls of JetStream's API and acknowledgements: for the usage stream and for others.
  const JETSTREAM = [
    `$JS.API.STREAM.CREATE.usage_${env}`,
    `$JS.API.STREAM.DELETE.usage_${env}`,
    `$JS.API.STREAM.PURGE.usage_${env}`,
    `$JS.API.STREAM.UPDATE.usage_${env}`,
    `$JS.API.STREAM.MSG.GET.usage_${env}`,
    `$JS.API.STREAM.MSG.DELETE.usage_${env}`,
    `$JS.API.STREAM.NAMES`,
    `$JS.API.STREAM.INFO.usage_${env}`,
    `$JS.API.CONSUMER.INFO.usage_${env}.keys`,
    `$JS.API.CONSUMER.CREATE.usage_${env}`,
    `$JS.API.CONSUMER.CREATE.usage_${env}.keys`,
    `$JS.API.CONSUMER.CREATE.usage_${env}.thief`,
    `$JS.API.CONSUMER.DURABLE.CREATE.usage_${env}.thief`,
    `$JS.API.CONSUMER.DELETE.usage_${env}.keys`,
    `$JS.API.CONSUMER.MSG.NEXT.usage_${env}.keys`,
    `$JS.API.CONSUMER.MSG.NEXT.usage_${env}.thief`,
    `$JS.API.CONSUMER.MSG.NEXT.usage_other.keys`,
    `$JS.ACK.usage_${env}.keys.1.1.1.1.1`,
    `$JS.ACK.usage_${env}.thief.1.1.1.1.1`,
    `$JS.ACK.usage_other.keys.1.1.1.1.1`,
    '$SYS.REQ.SERVER.PING',
  ];
  const ALLOWED: Partial<Record<Role, readonly string[]>> = {
    boot: JETSTREAM.filter((subject) => subject.startsWith('$JS.API.')),
    keys: [`$JS.API.CONSUMER.MSG.NEXT.usage_${env}.keys`, `$JS.ACK.usage_${env}.keys.1.1.1.1.1`],
  };

  it.each(PLAIN_ROLES)('%s publishes to JetStream only what it must', async (role) => {
    const nats = await connectAs(role);
    const refused = await refusals(nats, (subject) => nats.publish(subject), JETSTREAM);
    await nats.close();
    expect(JETSTREAM.filter((subject) => !refused.has(subject))).toEqual([...(ALLOWED[role] ?? [])]);
  });

  it('lets a worker detect a stream without a subscriber', async () => {
    const nats = await connectAs('worker');
    const noInterest = new Promise<number | undefined>((resolve) => {
      nats.subscribe(`inf.${env}.v1.w.x1.ni.*.*`, { callback: (_error, message) => resolve(message.headers?.code) });
    });
    await nats.flush();
    nats.publish(`inf.${env}.v1.g.gone.r.s1.1`, '{}', { reply: `inf.${env}.v1.w.x1.ni.s1.1` });
    expect(await noInterest).toBe(503);
    await nats.close();
  });
});
