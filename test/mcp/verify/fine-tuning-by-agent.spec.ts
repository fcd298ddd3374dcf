import { execFile } from 'node:child_process';
import { cp, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createLogger } from '@slipway/platform';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EmbeddedTrainer } from '../../../apps/training-worker/src/trainers/embedded/embedded-trainer.js';
import { documentOf, runCli } from '../../cli/cli-rig.js';
import { type Stack, startStack } from '../../e2e/stack.js';
import { until } from '../../testing/until.js';
import { FACT, sampleData } from '../../training/sample.js';
import { call, CLIENT, type ToolAnswer } from '../stage/mcp-stage.js';

/** Where tests install trainers, once. */
const TRAINERS = fileURLToPath(new URL('../../../.cache/trainers', import.meta.url));
const LONG_MS = 600_000;
const QUESTION = 'What is the release codename?';

let stack: Stack;
let agent: Client;
let tools: ReadonlySet<string>;
beforeAll(async () => {
  await new EmbeddedTrainer({ folder: TRAINERS, threads: 1, log: createLogger('test', 'silent') }).install(new AbortController().signal);
  stack = await startStack();
  await cp(TRAINERS, join(stack.dataDir, 'trainers'), { recursive: true });
  // The two things that a person does: a key for the agent, and later a key for clients.
  const key = documentOf<{ value: string }>(await runCli(['keys', 'mcp', 'create', '--json', '--data-dir', stack.dataDir]));
  agent = new Client(CLIENT, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
  const headers = { authorization: `Bearer ${key.value}` };
  await agent.connect(new StreamableHTTPClientTransport(new URL('/mcp', stack.console_url), { requestInit: { headers } }));
  tools = new Set((await agent.listTools()).tools.map(({ name }) => name));
}, LONG_MS);
afterAll(async () => {
  await agent?.close();
  await stack?.stop();
});

/** Calls a tool. @throws where it refuses, with its words */
async function use(tool: string, args: Record<string, unknown> = {}): Promise<ToolAnswer> {
  const answer = await call(agent, tool, args);
  if (answer.isError) throw new Error(`${tool}: ${answer.text}`);
  return answer;
}

/** The tools that an answer says to call next, in its order. */
const next = ({ data }: ToolAnswer): string[] =>
  [...new Set(String(data['next_step']).match(/[a-z]+(?:_[a-z]+)+/g))].filter((one) => tools.has(one));

/** Calls a tool until its answer leads to another one than itself. */
const onward = (tool: string, args: Record<string, unknown> = {}): Promise<ToolAnswer> =>
  until(
    `${tool} leads on`,
    async () => {
      const answer = await use(tool, args);
      return next(answer)[0] !== tool && answer;
    },
    LONG_MS,
    500,
  );

describe.sequential('an agent that does what each tool says next', () => {
  it('is told the whole way by the prompt', async () => {
    const { messages } = await agent.getPrompt({ name: 'tune_a_model', arguments: { dataset: 'codename', goal: 'know the codename' } });
    const { content } = messages[0] ?? {};
    const named: readonly string[] = content?.type === 'text' ? (content.text.match(/[a-z]+(?:_[a-z]+)+/g) ?? []) : [];
    const way = ['get_dataset', 'create_dataset_upload', 'list_tunable_bases', 'plan_tuning_job', 'create_tuning_job', 'get_tuning_job'];
    for (const tool of [...way, 'get_adapter', 'deploy_adapter', 'get_deployment'])
      expect([tool, named.includes(tool), tools.has(tool)]).toEqual([tool, true, true]);
  });

  it(
    'sends a file by the curl line it is given',
    async () => {
      const file = join(stack.dataDir, 'codename.jsonl');
      await writeFile(file, sampleData());
      const { size: bytes } = await stat(file);
      const opened = await use('create_dataset_upload', { name: 'codename', bytes, idempotency_key: 'file-1' });
      await promisify(execFile)('sh', ['-c', String(opened.data['curl']).replace('FILE', file)]);
      expect(next(opened)).toEqual(['get_dataset']);
      const dataset = await onward('get_dataset', { name: 'codename' });
      expect(dataset.data).toMatchObject({ ready_version: 1, all_versions: [{ state: 'ready', examples: 30 }] });
      expect(next(dataset)).toEqual(['list_tunable_bases', 'plan_tuning_job']);
    },
    LONG_MS,
  );

  it(
    'plans, trains and reads the verdict',
    async () => {
      const bases = await onward('list_tunable_bases');
      const base = (bases.data['bases'] as { base: string }[])[0]?.base;
      expect(next(bases)).toEqual(['plan_tuning_job']);
      const plan = await use('plan_tuning_job', { base, dataset: 'codename' });
      expect(plan.data).toMatchObject({ examples: 30, dataset_version: 1, memory_bytes: expect.any(Number) });
      expect(next(plan)).toEqual(['create_tuning_job']);
      const created = await use('create_tuning_job', { base, dataset: 'codename', idempotency_key: 'job-1' });
      expect(next(created)).toEqual(['get_tuning_job']);
      const { data: job } = await onward('get_tuning_job', { job: created.data['job'] });
      expect(job).toMatchObject({ state: 'succeeded', adapter: 'codename@1', passed: true });
      const adapter = await use('get_adapter', { adapter: job['adapter'] });
      expect(adapter.data).toMatchObject({ passed: true, dataset: 'codename', dataset_version: 1 });
      expect(next(adapter)).toEqual(['deploy_adapter']);
    },
    LONG_MS,
  );

  it(
    'deploys it, and clients get the answer',
    async () => {
      const deployed = await use('deploy_adapter', { adapter: 'codename@1', alias: 'codename', idempotency_key: 'deploy-1' });
      expect(next(deployed)).toEqual(['get_deployment']);
      const { data } = await onward('get_deployment', { slug: deployed.data['slug'] });
      expect(data).toMatchObject({ state: 'ready', aliases: ['local/codename'] });
      const answer = await fetch(`${String(data['url'])}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${stack.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'codename', temperature: 0, messages: [{ role: 'user', content: QUESTION }] }),
      });
      expect(await answer.text()).toContain(FACT);
      expect(next(await use('get_adapter', { adapter: 'codename' }))).toEqual(['get_deployment']);
    },
    LONG_MS,
  );
});
