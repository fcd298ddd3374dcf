import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  CONTRACTS,
  type Contract,
  inboxPrefix,
  type Role,
  ROLES,
  SCOPED_ROLES,
  type ScopedRole,
  servedSubjectsOf,
  wildcardOf,
} from '@slipway/contracts';
import {
  completeSeeds,
  connectNats,
  createLogger,
  type NatsConnection,
  newUserKey,
  renderNatsConf,
  roleCredentials,
  userJwt,
  workerSigning,
} from '@slipway/platform';
import { freePorts, TestNatsServer } from '@slipway/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const env = 'probe';
const seeds = completeSeeds();
const signing = JSON.parse(workerSigning(seeds)) as { account: string; agent: string; runner: string };
const log = createLogger('test', 'silent');
const OWN = 'own';
const OTHER = 'other';

let server: TestNatsServer;
let folder: string;

/** The identity of a worker's process; it is renewed by writing another `jwt` into it. */
function identityOf(role: 'agent' | 'runner', wk = OWN, lifeMs = 60_000): { wk: string; key: ReturnType<typeof newUserKey>; jwt: string } {
  const key = newUserKey();
  const scope = { seed: signing[role], account: signing.account };
  return { wk, key, jwt: userJwt({ name: wk, key: key.public, expiresAt: Date.now() + lifeMs }, scope) };
}

function connectAs(role: ScopedRole): Promise<NatsConnection> {
  const named = role === 'agent' || role === 'runner';
  const login = named ? { identity: identityOf(role) } : { credentialsDir: join(folder, role) };
  return connectNats({ url: server.url, role, name: `probe-${role}`, log, ...login });
}

/** The given subjects that the server accepts from this connection. */
async function allowed(nats: NatsConnection, act: (subject: string) => void, subjects: readonly string[]): Promise<string[]> {
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
  return [...new Set(subjects)].filter((subject) => !refused.has(subject)).sort();
}

/** A contract's subject for the worker `wk`, all other tokens being examples. */
const example = (subject: string, wk: string): string => wildcardOf({ subject }, { env, wk }).replaceAll('*', 'x1');

/** A subject that names the role of its sender, for one role. */
const under = <S extends string>(role: Role, subject: S): S => subject.replace('{role}', role) as S;

/** Every subject of a contract for the worker of this name. */
const subjectsFor = ({ kind, subject }: Pick<Contract, 'kind' | 'subject'>, wk: string): string[] => {
  if (subject.includes('{role}')) return ROLES.flatMap((role) => subjectsFor({ kind, subject: under(role, subject) }, wk));
  const bare = example(subject, wk);
  return kind === 'rpc' ? [bare, ...ROLES.map((role) => `${bare}.${role}`)] : [bare];
};

const isNamed = (role: Role): boolean => role === 'agent' || role === 'runner';
const ownerOf = (contract: Contract & { kind: 'rpc' }): Role => (contract.owner === 'worker' ? 'agent' : contract.owner);

/** Subjects on which the contracts let this role publish; a worker's process only under its own name. */
function mayPublish(role: Role, contract: Contract): string[] {
  const names = isNamed(role) && contract.subject.includes('{wk}') ? [OWN] : [OWN, OTHER];
  const own = { kind: contract.kind, subject: under(role, contract.subject) };
  if (contract.kind === 'event') return contract.publishers.includes(role) ? names.flatMap((wk) => subjectsFor(own, wk)) : [];
  if (!contract.callers.includes(role)) return [];
  return names.flatMap((wk) => {
    const bare = example(contract.subject, wk);
    return contract.callers.length === 1 ? [bare, `${bare}.${role}`] : [`${bare}.${role}`];
  });
}

function maySubscribe(role: Role, contract: Contract): string[] {
  const mine = contract.kind === 'rpc' ? ownerOf(contract) === role : contract.subscribers.includes(role);
  if (!mine) return [];
  const names = isNamed(role) && contract.subject.includes('{wk}') ? [OWN] : [OWN, OTHER];
  if (contract.kind === 'event') return names.flatMap((wk) => subjectsFor(contract, wk));
  const subjects = names.map((wk) => example(contract.subject, wk));
  return subjects.flatMap((subject) => servedSubjectsOf(contract, subject).map((s) => s.replace('*', 'x1')));
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-names-'));
  for (const role of SCOPED_ROLES.filter((one) => !isNamed(one))) {
    await mkdir(join(folder, role));
    await writeFile(join(folder, role, `${role}.creds`), roleCredentials(role, seeds));
  }
  const [port = 0] = await freePorts(1);
  const storeDir = join(folder, 'jetstream');
  server = await TestNatsServer.start({
    port,
    config: renderNatsConf({ env, host: '127.0.0.1', port, serverName: 'names', storeDir, seeds }),
  });
});

afterAll(async () => {
  await server?.end();
  await rm(folder, { recursive: true, force: true });
});

describe.each(SCOPED_ROLES)('with users made by signing keys, %s', (role) => {
  let nats: NatsConnection;
  beforeAll(async () => {
    nats = await connectAs(role);
  });
  afterAll(() => nats.close());

  it('publishes only under its own name', async () => {
    const subjects = CONTRACTS.flatMap((contract) => [OWN, OTHER].flatMap((wk) => subjectsFor(contract, wk)));
    // Heartbeats of deployment 0 are those of agents: no runner may send them.
    const agents = [OWN, OTHER].map((wk) => `inf.${env}.v1.hb.0.${wk}`);
    const expected = new Set(CONTRACTS.flatMap((contract) => mayPublish(role, contract)));
    if (role === 'runner') for (const subject of agents) expected.delete(subject);
    expect(await allowed(nats, (subject) => nats.publish(subject, '{}'), [...subjects, ...agents])).toEqual([...expected].sort());
  });

  it('reads only messages to its own name', async () => {
    const wanted = CONTRACTS.flatMap((contract) => {
      const queue = contract.kind === 'rpc' ? contract.queue : undefined;
      return [OWN, OTHER].flatMap((wk) => subjectsFor(contract, wk)).map((subject) => ({ subject, queue }));
    });
    const queues = new Map(wanted.map(({ subject, queue }) => [subject, queue]));
    const subscribe = (subject: string): void => {
      const queue = queues.get(subject);
      nats.subscribe(subject, { callback: () => undefined, ...(queue !== undefined && { queue }) });
    };
    const readable = await allowed(nats, subscribe, [...queues.keys()]);
    const expected = new Set(CONTRACTS.flatMap((contract) => maySubscribe(role, contract)));
    // Subscribers of all deployments' heartbeats also receive those of agents.
    if (role === 'gateway') for (const wk of [OWN, OTHER]) expected.add(`inf.${env}.v1.hb.0.${wk}`);
    // The owner of an RPC also listens below its subject, for every calling role.
    for (const contract of CONTRACTS) {
      if (contract.kind !== 'rpc' || maySubscribe(role, contract).length === 0) continue;
      const names = isNamed(role) && contract.subject.includes('{wk}') ? [OWN] : [OWN, OTHER];
      for (const wk of names) for (const caller of ROLES) expected.add(`${example(contract.subject, wk)}.${caller}`);
    }
    expect(readable).toEqual([...expected].filter((subject) => queues.has(subject)).sort());
  });

  it('reaches no other environment and no system account', async () => {
    const api = ['STREAM.CREATE.usage_probe', 'STREAM.DELETE.usage_probe', 'STREAM.MSG.GET.usage_probe'].map((call) => `$JS.API.${call}`);
    const next = '$JS.API.CONSUMER.MSG.NEXT.usage_probe.keys';
    const ack = '$JS.ACK.usage_probe.keys.1.1.1.1.0';
    const system = ['$SYS.REQ.SERVER.PING', '$SYS.REQ.ACCOUNT.PING.CONNZ'];
    const elsewhere = [
      'key.other.v1.chg',
      'dep.other.v1.wrk.own',
      'inf.other.v1.w.own.start',
      `inf.other.v1.hb.1.${OWN}`,
      'usage.other.v1.rec',
    ];
    const work = { keys: [next, ack], boot: [...api, next] }[role as string] ?? [];
    const said = await allowed(nats, (subject) => nats.publish(subject, '{}'), [...api, next, ack, ...system, ...elsewhere]);
    expect(said).toEqual([...work].sort());
    const foreign = [
      '$SYS.>',
      '$JS.>',
      '$JS.API.>',
      '$JS.ACK.>',
      'key.other.>',
      'dep.other.v1.wrk.own',
      'inf.other.>',
      'usage.other.v1.rec',
    ];
    expect(await allowed(nats, (subject) => nats.subscribe(subject, { callback: () => undefined }), foreign)).toEqual([]);
  });

  it('reads and answers in its own inbox', async () => {
    const others = ROLES.filter((other) => other !== role).map((other) => `${inboxPrefix(other)}.>`);
    const neighbour = isNamed(role) ? [`${inboxPrefix(role)}.${OTHER}.>`, `${inboxPrefix(role)}.>`] : [];
    const foreign = [...others, ...neighbour, '_INBOX.>', '>', `inf.${env}.>`, `dep.${env}.v1.wrk.*`, `inf.${env}.v1.w.*.start`];
    const open = await allowed(nats, (subject) => nats.subscribe(subject, { callback: () => undefined }), foreign);
    expect(open).toEqual([]);
    const replies = ROLES.flatMap((caller) => [...ROLES, `worker.${OTHER}`, 'n1'].map((owner) => `${inboxPrefix(caller)}.c1.${owner}.t1`));
    const said = await allowed(nats, (subject) => nats.publish(subject, '{}'), replies);
    expect(said.filter((subject) => !subject.endsWith(`.c1.${role}.t1`))).toEqual([]);
  });
});

describe('the name of a worker’s process', () => {
  it('cannot be used with another key', async () => {
    const identity = { ...identityOf('agent'), key: newUserKey() };
    const nats = connectNats({ url: server.url, role: 'agent', name: 'thief', log, identity });
    await expect(nats).rejects.toThrow('the server refuses the credentials of agent');
  });

  it('survives the expiry of its JWT', async () => {
    const identity = identityOf('runner', 'runner-1', 2_000);
    const nats = await connectNats({ url: server.url, role: 'runner', name: 'expiring', log, identity });
    identity.jwt = userJwt(
      { name: identity.wk, key: identity.key.public, expiresAt: Date.now() + 60_000 },
      { seed: signing.runner, account: signing.account },
    );
    const back = (async () => {
      for await (const { type } of nats.status()) if (type === 'reconnect') return true;
      return false;
    })();
    expect(await back).toBe(true);
    await nats.flush();
    await nats.close();
  });
});
