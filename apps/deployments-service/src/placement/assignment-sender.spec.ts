import {
  type AgentHeartbeat,
  type AgentLoad,
  Assignment,
  type AssignmentItem,
  credentialBinding,
  type DeploymentId,
  type Incarnation,
} from '@slipway/contracts';
import { BoxKey, createLogger, type NatsConnection, PartCollector, SecretVault } from '@slipway/platform';
import { describe, expect, it } from 'vitest';
import { AgentSealers } from '../agents/agent-sealers.js';
import { CredentialVault } from '../deployments/revision-settings.js';
import { AssignmentSender } from './assignment-sender.js';
import type { Target } from './target.js';
import { type Assignments, type UnitKey, unitKey } from './unit.js';

const ENV = 'test';
const MEBIBYTE = 1_048_576;
const vault = new CredentialVault(new SecretVault('ab'.repeat(32)));
const key = new BoxKey();

const anAgent = (name: string, more: Partial<AgentHeartbeat> = {}): AgentHeartbeat => ({
  wk: name as Incarnation,
  host: name,
  zone: null,
  mem_free: 0,
  cpu: 2,
  gpus: 0,
  engines: ['http'],
  cached: [],
  draining: false,
  loads: [],
  key: key.publicKey,
  assigned: null,
  ...more,
});

const aLoad = (dep: number, rev = 1): AgentLoad => ({
  ...{ dep: dep as DeploymentId, rev, state: 'ready', progress: null, reason: null, detail: null, pid: 1, context: null, caps: [] },
});

const aTarget = (dep: number, url: string, credential: string | null): Target => ({
  ...{ dep: dep as DeploymentId, account: 1, desired: 'ready', rev: 1, serving: null, replicas: 64, range: null, tries: 0 },
  revisions: [
    {
      ...{
        rev: 1,
        source: { kind: 'http', url, model: 'm' },
        adapter: null,
        credential: credential && vault.seal(credential, 1),
        context: null,
      },
      ...{ slots: 512, threads: null, defaultMaxTokens: null, bytes: 0, mapped: 0, fault: null },
    },
  ],
  written: { state: 'pending', serving: null, reason: null, detail: null, readyReplicas: 0, caps: [], context: null, agents: null },
});

const keysOf = (targets: readonly Target[]): Set<UnitKey> => new Set(targets.map(({ dep }) => unitKey({ dep, rev: 1 })));
const toAll = (targets: readonly Target[], ...names: string[]): Assignments =>
  new Map(names.map((name) => [name as Incarnation, keysOf(targets)]));

interface Sent {
  readonly wk: string;
  readonly bytes: number;
  readonly message: Assignment;
}

/** A sender whose messages are caught. A server refuses those that are too large, as NATS does. */
function aSender({ clear = false, maxPayload = MEBIBYTE } = {}): {
  sender: AssignmentSender;
  sent: Sent[];
  whole: (wk: string) => AssignmentItem[] | null;
  pass: (ms: number) => void;
} {
  let now = 0;
  const sent: Sent[] = [];
  const nats = {
    info: { max_payload: maxPayload },
    publish: (subject: string, text: string) => {
      if (Buffer.byteLength(text) > maxPayload) throw new Error('max_payload size exceeded');
      sent.push({
        wk: subject.split('.').at(-1) ?? '',
        bytes: Buffer.byteLength(text),
        message: Assignment.message.parse(JSON.parse(text)),
      });
    },
  };
  const sender = new AssignmentSender({
    ...{ nats: nats as unknown as NatsConnection, env: ENV, vault, threads: null },
    ...{ log: createLogger('test', 'silent'), sealers: new AgentSealers(clear), clock: () => now },
  });
  const whole = (wk: string): AssignmentItem[] | null => {
    const collector = new PartCollector<Assignment>();
    let newest: AssignmentItem[] | null = null;
    for (const { message } of sent.filter((one) => one.wk === wk)) {
      const all = message.part ? collector.add(String(message.part.no), message.part, message) : [message];
      if (all) newest = all.flatMap(({ items }) => items);
    }
    return newest;
  };
  return { sender, sent, whole, pass: (ms) => void (now += ms) };
}

describe('an assignment', () => {
  it('of 4,000 deployments arrives whole in 256 KiB parts', () => {
    const { sender, sent, whole } = aSender();
    const targets = Array.from({ length: 4_000 }, (_, n) => aTarget(n + 1, `http://engine-${n}.test:8000/v1`, null));
    sender.send(1, toAll(targets, 'a'), targets, [anAgent('a')]);
    expect(whole('a')?.map(({ dep }) => dep)).toEqual(targets.map(({ dep }) => dep));
    expect(Math.max(...sent.map(({ bytes }) => bytes))).toBeLessThan(270_000);
  });

  it.each([MEBIBYTE, 65_536])('of the largest items fits messages of %d bytes', (maxPayload) => {
    const { sender, sent, whole } = aSender({ maxPayload });
    const targets = Array.from({ length: 190 }, (_, n) => aTarget(n + 1, `http://engine.test/${'p'.repeat(1_900)}${n}`, 's'.repeat(4_000)));
    sender.send(1, toAll(targets, 'a', 'b'), targets, [anAgent('a'), anAgent('b')]);
    expect(whole('a')).toHaveLength(190);
    expect(whole('b')).toHaveLength(190);
    expect(Math.max(...sent.map(({ bytes }) => bytes))).toBeLessThanOrEqual(maxPayload);
    expect(JSON.stringify(sent)).not.toContain('ssssssss');
    const [first] = whole('a') ?? [];
    expect(key.open(first?.sealed ?? '', credentialBinding({ dep: 1, rev: 1, wk: 'a' }))).toBe('s'.repeat(4_000));
  });

  it('leaves out only the item above the limit', () => {
    const { sender, whole } = aSender({ maxPayload: 16_384 });
    const targets = [
      aTarget(1, 'http://a.test', null),
      aTarget(2, `http://b.test/${'p'.repeat(20_000)}`, null),
      aTarget(3, 'http://c.test', null),
    ];
    sender.send(1, toAll(targets, 'a'), targets, [anAgent('a')]);
    expect(whole('a')?.map(({ dep }) => dep)).toEqual([1, 3]);
  });

  it('leaves out only the item with an unreadable credential', () => {
    const { sender, whole } = aSender();
    const broken = aTarget(2, 'http://b.test', 'secret');
    const targets = [aTarget(1, 'http://a.test', 'secret'), { ...broken, account: 2 }, aTarget(3, 'http://c.test', 'secret')];
    sender.send(1, toAll(targets, 'a'), targets, [anAgent('a')]);
    expect(whole('a')?.map(({ dep }) => dep)).toEqual([1, 3]);
  });

  it('that fails for one agent reaches the others', () => {
    const { sender, whole } = aSender();
    const targets = Array.from({ length: 3_000 }, (_, n) => aTarget(n + 1, `http://engine.test/${'p'.repeat(400)}${n}`, null));
    const { assigned: _, ...old } = anAgent('old');
    sender.send(1, toAll(targets, 'old', 'new'), targets, [old, anAgent('new')]);
    expect(whole('old')).toBeNull();
    expect(whole('new')).toHaveLength(3_000);
  });

  it('is one message for agents without parts', () => {
    const { sender, sent } = aSender({ clear: true });
    const { assigned: _, key: __, ...old } = anAgent('old', { loads: [] });
    const targets = [aTarget(1, 'http://a.test', 'sk-1'), aTarget(2, 'http://b.test', null)];
    sender.send(1, toAll(targets, 'old'), targets, [old]);
    expect(sent).toHaveLength(1);
    expect(sent[0]?.message.part).toBeUndefined();
    expect(sent[0]?.message.items.map(({ credential }) => credential)).toEqual(['sk-1', undefined]);
  });

  it('holds no unsealed credential unless the operator allows it', () => {
    const { sender, sent } = aSender();
    const { key: _, ...keyless } = anAgent('a');
    const targets = [aTarget(1, 'http://a.test', 'sk-1'), aTarget(2, 'http://b.test', null)];
    sender.send(1, toAll(targets, 'a'), targets, [keyless]);
    expect(sent.flatMap(({ message }) => message.items.map(({ dep }) => dep))).toEqual([2]);
    expect(JSON.stringify(sent)).not.toContain('sk-1');
  });

  it('keeps its number when it is repeated', () => {
    const { sender, sent, pass } = aSender();
    const targets = [aTarget(1, 'http://a.test', null), aTarget(2, 'http://b.test', null)];
    for (const some of [targets.slice(0, 1), targets, targets, targets.slice(1)]) {
      sender.send(1, toAll(some, 'a'), targets, [anAgent('a')]);
      pass(1);
    }
    expect(sent.map(({ message }) => message.part?.no)).toEqual([1, 2, 3]);
  });

  it('gives streams time only where a replica less is needed', () => {
    const { sender, sent } = aSender();
    const targets = [1, 2, 3].map((dep) => aTarget(dep, 'http://a.test', null));
    const loads = [1, 2, 3, 4].map((dep) => aLoad(dep));
    const [assigned, keeper] = [toAll(targets.slice(0, 1), 'b'), anAgent('b')];
    // The first runs elsewhere; the second has lost its place, the third is of a revision that is over, the fourth was stopped.
    const older = aLoad(1, 7);
    sender.send(1, assigned, targets, [anAgent('a', { loads: [...loads, older] }), keeper]);
    expect(sent.find(({ wk }) => wk === 'a')?.message).toMatchObject({ items: [], stopped: [4], leaving: [1] });
    expect(sent.find(({ wk }) => wk === 'b')?.message.leaving).toBeUndefined();
    // A worker that is drained is wanted soon.
    sender.send(1, assigned, targets, [{ ...anAgent('c', { loads }), drained: true }, keeper]);
    expect(sent.find(({ wk }) => wk === 'c')?.message.leaving).toBeUndefined();
  });

  it('pauses after a large series, not after small ones', () => {
    const { sender, sent, whole, pass } = aSender();
    const targets = Array.from({ length: 4_000 }, (_, n) => aTarget(n + 1, `http://engine-${n}.test:8000/v1`, null));
    const [all, less] = [toAll(targets, 'a', 'b'), new Map([...toAll(targets, 'b'), ...toAll(targets.slice(1), 'a')])];
    const series = (wk: string): number => new Set(sent.filter((one) => one.wk === wk).map(({ message }) => message.part?.no)).size;
    for (let n = 0; n <= 40; n += 1) {
      sender.send(1, n % 2 === 0 ? all : less, targets, [anAgent('a'), anAgent('b')]);
      pass(50);
    }
    expect(series('a')).toBeLessThanOrEqual(3);
    expect(series('b')).toBe(1);
    pass(1_000);
    sender.send(1, less, targets, [anAgent('a'), anAgent('b')]);
    expect(whole('a')).toHaveLength(3_999);
    pass(1_000);
    sender.send(1, all, targets, [anAgent('a'), anAgent('b')]);
    expect(whole('a')).toHaveLength(4_000);
    // Another placer's decisions wait for nothing.
    sender.send(2, less, targets, [anAgent('a'), anAgent('b')]);
    expect(whole('a')).toHaveLength(3_999);
  });
});
