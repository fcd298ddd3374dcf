import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FindDeployment, ListAliases, ListModels, type LogLine, ReadLog, RequestId } from '@slipway/contracts';
import { describe, expect } from 'vitest';
import { until } from '../testing/until.js';
import { becomes, type FakeAgent, keepsLoading } from './fake-agent.js';
import { anAccount, MODEL } from './rig.js';
import { rigTest as it } from './rig-test.js';

it('find-deployment shows every load of each worker', async ({ rig }) => {
  const startedAt = Date.now();
  await rig.startReplica();
  const one = rig.startAgent({ facts: { host: 'host-1' } });
  const two = rig.startAgent({ facts: { host: 'host-2' }, react: keepsLoading });
  const account = anAccount();
  const deployment = await rig.create(account, { replicas: 2, threads: 3 });
  await rig.pointAlias(account, 'main', deployment);
  await rig.published(deployment, 'degraded');
  const found = await until('the alias and both replicas show', async () => {
    const answer = await rig.ask(FindDeployment, { account, deployment });
    return answer.running.length === 2 && answer.deployment.aliases.length === 1 && answer;
  });
  expect(found.deployment).toMatchObject({ id: deployment, state: 'degraded', serving_rev: 1, caps: ['tools'], context: 2_048 });
  expect(found.running).toEqual([
    { agent: one.wk, host: 'host-1', rev: 1, state: 'ready', progress: null, reason: null, detail: null, context: 2_048 },
    { agent: two.wk, host: 'host-2', rev: 1, state: 'loading', progress: 0.25, reason: null, detail: null, context: null },
  ]);
  expect(found.revisions).toMatchObject([{ rev: 1, slots: 4, threads: 3, context: null, credential: false }]);
  for (const time of [found.deployment.created_at, found.deployment.since]) {
    // The database's clock and this one are the same machine's.
    expect(Date.parse(time)).toBeGreaterThan(startedAt - 1_000);
    expect(Date.parse(time)).toBeLessThan(Date.now() + 1_000);
  }
});

it('list-aliases returns all of an account by name', async ({ rig }) => {
  await rig.startReplica();
  const account = anAccount();
  const [first, second] = [await rig.create(account), await rig.create(account)];
  for (const [alias, id] of [
    ['b', first],
    ['a', second],
    ['b', second],
  ] as const)
    await rig.pointAlias(account, alias, id);
  const { aliases } = await rig.ask(ListAliases, { account });
  expect(aliases.map(({ alias, deployment }) => [alias, deployment])).toEqual([
    ['a', second],
    ['b', second],
  ]);
  expect(await rig.ask(ListAliases, { account: anAccount() })).toEqual({ aliases: [] });
});

describe('list-models', () => {
  it('lists the operator’s files and the account’s models', async ({ rig }) => {
    const folder = join(rig.folder, 'served');
    const file = (name: string): string => join(folder, name);
    mkdirSync(file('deep'), { recursive: true });
    copyFileSync(MODEL, file('deep/tiny.gguf'));
    for (const [part, size] of [
      [1, 10],
      [2, 20],
    ] as const)
      writeFileSync(file(`split-0000${part}-of-00002.gguf`), Buffer.alloc(size));
    writeFileSync(file('orphan-00002-of-00002.gguf'), 'x');
    writeFileSync(file('notes.txt'), 'x');
    writeFileSync(join(rig.folder, 'outside.gguf'), 'x');
    symlinkSync(join(rig.folder, 'outside.gguf'), file('way-out.gguf'));
    symlinkSync(file('deep/tiny.gguf'), file('link.gguf'));
    const uri = 'hf:user/repo/fetched.gguf';
    await rig.startReplica({ MODEL_DIRS: `${folder},/not/here` });
    rig.startAgent({ facts: { host: 'host-1', cached: [uri] } });
    const account = anAccount();
    const deployment = await rig.create(account, { source: { kind: 'download', uri } });
    await rig.published(deployment, 'ready');

    const bytes = statSync(MODEL).size;
    const unused = { hosts: [], deployments: [] };
    expect(await rig.ask(ListModels, { account })).toEqual({
      truncated: false,
      next: null,
      models: [
        { source: { kind: 'download', uri }, name: 'fetched.gguf', bytes: null, hosts: ['host-1'], deployments: [deployment] },
        { source: { kind: 'file', path: file('link.gguf') }, name: 'link.gguf', bytes, ...unused },
        { source: { kind: 'file', path: file('split-00001-of-00002.gguf') }, name: 'split-00001-of-00002.gguf', bytes: 30, ...unused },
        { source: { kind: 'file', path: file('deep/tiny.gguf') }, name: 'tiny.gguf', bytes, ...unused },
      ],
    });
  });

  it('says when a folder is too large', async ({ rig }) => {
    const folder = join(rig.folder, 'crowded');
    mkdirSync(folder);
    execFileSync('sh', ['-c', 'seq 5001 | xargs touch'], { cwd: folder });
    await rig.startReplica({ MODEL_DIRS: `${join(MODEL, '..')},${folder}` });
    const { models, truncated } = await rig.ask(ListModels, { account: anAccount() });
    expect(truncated).toBe(true);
    expect(models.map(({ source }) => source)).toContainEqual({ kind: 'file', path: MODEL });
  });
});

describe('read-log', () => {
  it('merges the lines of all agents', async ({ rig }) => {
    await rig.startReplica();
    const agents = ['host-1', 'host-2'].map((host) => rig.startAgent({ facts: { host } }));
    await Promise.all(agents.map((agent) => agent.serveLogs()));
    const account = anAccount();
    const deployment = await rig.create(account);
    await rig.published(deployment, 'ready');
    agents[0]!.logs.set(
      deployment,
      [1, 3, 5].map((at) => ({ at, rev: 1, text: `line ${at}` })),
    );
    agents[1]!.logs.set(
      deployment,
      [2, 4].map((at) => ({ at, rev: 1, text: `line ${at}` })),
    );
    const read = (lines?: number) => rig.ask(ReadLog, { account, deployment, ...(lines !== undefined && { lines }) });
    const fromAgent = (at: number) => ({ host: `host-${2 - (at % 2)}`, agent: agents[1 - (at % 2)]!.wk });
    expect(await read()).toEqual({
      lines: [1, 2, 3, 4, 5].map((at) => ({ at, rev: 1, text: `line ${at}`, ...fromAgent(at) })),
      silent: [],
      cursor: expect.any(String) as string,
    });
    expect((await read(2)).lines.map(({ at }) => at)).toEqual([4, 5]);
    expect((await read(1)).lines.map(({ at }) => at)).toEqual([5]);
  });

  it('gives what is new after a cursor, and what passes filters', async ({ rig }) => {
    await rig.startReplica();
    const [agent, older] = ['host-1', 'host-2'].map((host) => rig.startAgent({ facts: { host } })) as [FakeAgent, FakeAgent];
    await Promise.all([agent.serveLogs(), older.serveLogs()]);
    const account = anAccount();
    const deployment = await rig.create(account);
    await rig.published(deployment, 'ready');
    const request = RequestId.parse('req_4fJ2a9Z');
    const line = (no: number, more: Partial<LogLine> = {}): LogLine => ({ at: 1_000, rev: 1, text: `line ${no}`, no, ...more });
    agent.logs.set(deployment, [line(1), line(2, { level: 'error', request })]);
    older.logs.set(deployment, [{ at: 1_000, rev: 1, text: 'old' }]);
    const read = async (more: object = {}) => rig.ask(ReadLog, { account, deployment, ...more });
    const texts = async (more: object): Promise<string[]> => (await read(more)).lines.map(({ text }) => text);
    expect(await texts({ level: 'warn' })).toEqual(['line 2']);
    expect(await texts({ search: 'LINE 1' })).toEqual(['line 1']);
    expect(await texts({ search: request })).toEqual(['line 2']);
    expect(await texts({ since: 1_001 })).toEqual([]);

    const { cursor } = await read();
    expect(await texts({ cursor })).toEqual([]);
    // A line of the same millisecond is new by its number.
    agent.logs.get(deployment)!.push(line(3));
    older.logs.get(deployment)!.push({ at: 1_002, rev: 1, text: 'later' });
    const next = await read({ cursor });
    expect(next.lines.map(({ text }) => text)).toEqual(['line 3', 'later']);
    expect(await texts({ cursor: next.cursor })).toEqual([]);
    await expect(read({ cursor: 'x' })).rejects.toMatchObject({ code: 'invalid_request', param: 'cursor' });
  });

  it('names the hosts that did not reply', async ({ rig }) => {
    const service = await rig.startReplica();
    const agents = ['host-1', 'host-2'].map((host) => rig.startAgent({ facts: { host } }));
    await agents[0]!.serveLogs();
    const account = anAccount();
    const deployment = await rig.create(account, { replicas: 2 });
    await rig.published(deployment, 'ready');
    agents[0]!.logs.set(deployment, [{ at: 1, rev: 1, text: 'x' }]);
    expect(await rig.ask(ReadLog, { account, deployment })).toMatchObject({ lines: [{ host: 'host-1' }], silent: ['host-2'] });
    await agents[1]!.serveLogs();
    agents[1]!.freeze();
    expect(await rig.ask(ReadLog, { account, deployment })).toMatchObject({ lines: [{ host: 'host-1' }], silent: ['host-2'] });
    const logLines = (): string[] => service.output.split('\n').filter((line) => line.includes('logs.agent_unanswered'));
    await until('the log has both', () => logLines().length === 2 || undefined);
    for (const line of logLines())
      expect(JSON.parse(line)).toMatchObject({ wk: agents[1]!.wk, host: 'host-2', err: expect.anything() as unknown });
  });

  it('is empty for a deployment that never ran', async ({ rig }) => {
    await rig.startReplica();
    const agent = rig.startAgent({ react: becomes({ state: 'failed', reason: 'model_invalid' }) });
    await agent.serveLogs();
    const account = anAccount();
    const deployment = await rig.create(account);
    expect(await rig.ask(ReadLog, { account, deployment })).toEqual({ lines: [], silent: [], cursor: '' });
    await expect(rig.ask(ReadLog, { account, deployment, lines: 2_001 })).rejects.toMatchObject({
      code: 'invalid_request',
      param: 'lines',
    });
  });
});
