import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { AgentHeartbeat, Assignment } from './deployments/assignments.js';
import { DeploymentFeed, DeploymentFeedRecord } from './deployments/deployment-feed.js';
import { FindDeployment, ListDeployments } from './deployments/deployment-views.js';
import { EngineFinding } from './deployments/engine-tests.js';
import { RolloutView } from './deployments/rollouts.js';
import { ListAccounts } from './identity/accounts.js';
import { ListMembers } from './identity/members.js';
import { ListSessionKeys, SessionClaims } from './identity/session-tokens.js';
import { Heartbeat } from './inference/control.js';
import { Frame, readFrames } from './inference/frames.js';
import { Start } from './inference/start.js';
import { KeyFeed } from './keys/key-feed.js';
import { KeyView } from './keys/key-view.js';
import { KeyProofClaims } from './keys/mcp-key.js';
import { checkToSend } from './schemas.js';
import { QueryUsage } from './usage/query-usage.js';
import { OrphanUsage, UsageRecord, UsageRecorded } from './usage/usage-record.js';

const NEWER = 'word_of_next_year';
const at = '2026-01-01T00:00:00Z';

const load = { dep: 7, rev: 1, state: 'ready', progress: null, reason: null, detail: null, pid: 1, context: null, caps: [] };
const beat = {
  ...{ wk: 'agent-1', host: 'h', zone: null, mem_free: 1, cpu: 1, gpus: 0, engines: ['llama'], cached: [], draining: false },
  loads: [load],
};
const item = { dep: 7, rev: 1, source: { kind: 'file', path: '/m.gguf' }, context: null, slots: 4, threads: 1, default_max_tokens: null };
const view = {
  ...{ id: 7, name: 'd', aliases: [], source: item.source, desired: 'ready', state: 'ready', reason: null, detail: null },
  ...{ progress: null, rev: 1, replicas: 1, ready_replicas: 1 },
};
const replica = { agent: 'agent-1', host: 'h', rev: 1, state: 'ready', progress: null, reason: null, detail: null, context: null };
const usage = {
  ...{ st: 's', at: 1, final: true, acct: 1, key: 2, dep: 3, rev: 1, api: 'chat', stream: false, started: 1_790_000_000_000 },
  ...{ ttft_ms: 5, ms: 9, prompt: 3, cached: 0, completion: 4, status: 'completed' },
};

describe('a heartbeat with a word that its reader does not know', () => {
  it('keeps an unknown kind of engine beside the known', () => {
    const engines = ['llama', NEWER];
    expect(AgentHeartbeat.message.parse({ ...beat, engines }).engines).toEqual(engines);
  });

  it('keeps a feature that only newer readers use', () => {
    expect(AgentHeartbeat.message.parse({ ...beat, features: ['adapter', NEWER] }).features).toEqual(['adapter', NEWER]);
    expect(AgentHeartbeat.message.parse(beat)).not.toHaveProperty('features');
  });

  it('loses one unreadable load and an unknown reason', () => {
    const loads = [{ ...load, state: NEWER }, { ...load, dep: 8, state: 'failed', reason: NEWER }, load];
    expect(AgentHeartbeat.message.parse({ ...beat, loads }).loads).toEqual([{ ...load, dep: 8, state: 'failed' }, load]);
  });

  it('says of a runner that it takes nothing new', () => {
    const runner = {
      wk: 'r',
      dep: 7,
      rev: 1,
      fp: '',
      n: 0,
      slots: 1,
      used: 0,
      queued: 0,
      proto: ['1.0', '1.0'],
      caps: [NEWER],
      zone: null,
    };
    expect(Heartbeat.message.parse({ ...runner, state: NEWER })).toEqual({ ...runner, state: 'draining' });
  });
});

describe('an assignment or a list with an unreadable item', () => {
  const newSource = { kind: NEWER, bucket: 'b' };

  it('keeps all its other items', () => {
    const items = [{ ...item, source: newSource }, item];
    expect(Assignment.message.parse({ term: 1, items }).items).toEqual([item]);
    expect(ListDeployments.reply.parse({ deployments: [{ ...view, source: newSource }, view] }).deployments).toEqual([view]);
    const found = { deployment: { ...view, created_at: at, since: at, caps: [], context: null }, revisions: [] };
    expect(FindDeployment.reply.parse({ ...found, running: [{ ...replica, state: NEWER }, replica] }).running).toEqual([replica]);
    const account = { id: 1, slug: 'acme', state: 'active', created_at: at };
    expect(ListAccounts.reply.parse({ accounts: [{ ...account, state: NEWER }, account], next: null }).accounts).toEqual([account]);
    const key = { kid: 'k', kty: 'OKP', crv: 'Ed25519', x: 'AAAA', alg: 'EdDSA' };
    expect(ListSessionKeys.reply.parse({ keys: [{ ...key, kty: 'RSA' }, key] }).keys).toEqual([key]);
  });

  it('shows an unknown state as one that waits', () => {
    const shown = ListDeployments.reply.parse({ deployments: [{ ...view, state: NEWER, desired: NEWER, reason: NEWER }] });
    expect(shown.deployments).toEqual([{ ...view, state: 'pending' }]);
    expect(EngineFinding.parse({ outcome: NEWER, detail: 'd', server: NEWER, context: null, models: null, ms: 1 })).toMatchObject({
      ...{ outcome: 'unreachable', server: 'other' },
    });
  });
});

describe('an alias that two deployments share', () => {
  const alias = { type: 'alias', account: 1, name: 'demo', deployment: 42 } as const;
  const shared = { ...alias, canary: { deployment: 43, percent: 25 } };

  it('stays on its deployment at a reader that knows no canary', () => {
    const older = z.object({ type: z.literal('alias'), account: z.int(), name: z.string(), deployment: z.int() });
    expect(older.parse(shared)).toEqual(alias);
  });

  it('is read from a sender that knows no canary', () => {
    expect(DeploymentFeedRecord.parse(alias)).toEqual(alias);
    expect(DeploymentFeedRecord.parse(shared)).toEqual(shared);
  });

  it('is over for a reader that does not know its state', () => {
    expect(RolloutView.shape.state.parse(NEWER)).toBe('rolled_back');
  });
});

describe('usage of a public contract that is new', () => {
  it('is counted under its word', () => {
    const record = { ...usage, api: NEWER };
    expect(UsageRecord.parse(record)).toEqual(record);
    expect(UsageRecorded.message.parse({ records: [record, usage] })).toEqual({ records: [record, usage] });
    expect(OrphanUsage.parse({ ...record, gw: 'gw-1' })).toMatchObject({ api: NEWER });
    const row = { from: at, api: NEWER, requests: 1, errors: 0, prompt_tokens: 1, cached_tokens: 0, completion_tokens: 1 };
    expect(QueryUsage.reply.parse({ rows: [row], as_of: at }).rows).toEqual([row]);
  });

  it('is started like any other generation', () => {
    const req = { messages: [{ role: 'user', content: [{ type: 'text', text: 'x' }] }], sampling: {}, stop: [] };
    expect(Start.message.parse({ st: 's', at: 1, dep: 7, rev: 1, api: NEWER, req })).toMatchObject({ api: NEWER });
  });
});

describe('a right that its reader does not know', () => {
  it('is shown as the least one', () => {
    const member = { user: 1, email: 'a@b.c', name: '', role: NEWER, joined_at: at, last_sign_in_at: null };
    expect(ListMembers.reply.parse({ members: [member], next: null }).members).toEqual([{ ...member, role: 'viewer' }]);
  });

  it('makes a signed token void', () => {
    expect(SessionClaims.safeParse({ sub: '1', sid: 'A'.repeat(22), acct: 1, role: NEWER, ver: 1 }).success).toBe(false);
    expect(KeyProofClaims.safeParse({ sub: '1', acct: 1, scope: NEWER }).success).toBe(false);
  });
});

describe('a feed record with a word that its reader does not know', () => {
  const change = { epoch: 'e', seq: 1, op: 'put', id: 'x:1', ver: 1 };
  const account = { type: 'account', id: 1, slug: 'acme', state: 'active' };
  const key = {
    ...{ type: 'key', id: 2, account: 1, kind: 'dep', mac: 'A'.repeat(43), pepper: 'p', state: 'active', expires: null },
    deployments: null,
  };

  it('opens nothing', () => {
    expect(KeyFeed.record.parse({ ...account, state: NEWER })).toEqual({ ...account, state: 'suspended' });
    expect(KeyFeed.record.parse({ ...key, state: NEWER })).toEqual({ ...key, state: 'revoked' });
    expect(KeyFeed.record.parse({ ...key, kind: 'newer' })).toEqual({ ...key, kind: 'newer' });
    const shown = { id: 2, name: 'k', hint: 'h', state: NEWER, created_at: at, created_by: { actor: NEWER, name: 'n' } };
    expect(KeyView.parse(shown)).toEqual({ ...shown, state: 'active', created_by: { actor: 'user', name: 'n' } });
  });

  it('has no content where its type is unknown', () => {
    const rec = { type: NEWER, id: 1 };
    expect(KeyFeed.change.message.parse({ ...change, rec })).toEqual(change);
    const records = [
      { id: 'x:1', ver: 1, rec },
      { id: 'key:2', ver: 1, rec: key },
    ];
    expect(KeyFeed.snapshot.reply.parse({ epoch: 'e', head: 1, records, cursor: null }).records).toEqual([
      { id: 'x:1', ver: 1 },
      records[1],
    ]);
    expect(KeyFeed.change.message.safeParse({ ...change, rec: { ...key, mac: 'x' } }).success).toBe(false);
  });

  it('leaves a deployment waiting', () => {
    const rec = { type: 'deployment', id: 7, account: 1, desired: 'ready', state: NEWER, rev: 1, caps: [NEWER], context: null };
    expect(DeploymentFeed.change.message.parse({ ...change, rec }).rec).toEqual({ ...rec, state: 'pending' });
  });
});

describe('a frame with a word that its reader does not know', () => {
  it.each([
    [{ k: 'rej', wk: 'w', code: NEWER, retry_ms: 0, used: 1, slots: 1 }, { code: 'busy' }],
    [{ k: 'hb', q: 0, ph: NEWER }, { ph: 'prefill' }],
    [
      { k: 'err', q: 0, code: NEWER, msg: 'm', retry: NEWER },
      { code: NEWER, retry: 'no' },
    ],
    [{ k: 'd', q: 0, e: [{ k: 'fin', r: NEWER }] }, { e: [{ k: 'fin', r: 'stop' }] }],
  ])('%o is read all the same', (frame, expected) => {
    expect(Frame.parse(frame)).toEqual({ ...frame, ...expected });
    expect(readFrames(JSON.stringify(frame))).toEqual({ ...frame, ...expected });
  });
});

describe('a writer', () => {
  it('sends no unknown word and no invalid item', () => {
    expect(checkToSend(ListDeployments.reply, { deployments: [view] }).deployments).toEqual([view]);
    for (const wrong of [{ state: NEWER }, { reason: NEWER }, { source: { kind: NEWER } }])
      expect(() => checkToSend(ListDeployments.reply, { deployments: [{ ...view, ...wrong }] })).toThrow(z.ZodError);
    expect(() => checkToSend(UsageRecord, { ...usage, api: NEWER })).toThrow('Expected one of chat, messages, responses');
    const member = { user: 1, email: 'a@b.c', name: '', role: NEWER, joined_at: at, last_sign_in_at: null };
    expect(() => checkToSend(ListMembers.reply, { members: [member], next: null })).toThrow(z.ZodError);
  });

  it('leaves readers generous when it has thrown', () => {
    expect(() => checkToSend(UsageRecord, {})).toThrow(z.ZodError);
    expect(UsageRecord.parse({ ...usage, api: NEWER }).api).toBe(NEWER);
  });
});

describe('what is no word at all', () => {
  it.each([null, 1, '', ' ', 'two words', {}])('%o is refused as before', (wrong) => {
    expect(UsageRecord.safeParse({ ...usage, api: wrong }).success).toBe(false);
    expect(AgentHeartbeat.message.safeParse({ ...beat, engines: wrong }).success).toBe(false);
    expect(readFrames(JSON.stringify({ k: 'd', q: 0, e: [{ k: 'fin', r: wrong }] }))).toBeNull();
  });
});
