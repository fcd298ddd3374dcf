import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatKey, StopDeployment } from '@slipway/contracts';
import type { UpstreamRequest } from '@slipway/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { until } from '../../testing/until.js';
import type { Naming } from '../stage/client-stage.js';
import { type CodexJob, type CodexRun, runCodex } from '../stage/codex.js';
import { CITY, PLAYED_TEXT, questionFor, questionForCall, type Scene } from '../stage/played-scenes.js';
import type { Company } from './company.js';

const UNKNOWN_KEY = formatKey('dep', new Uint8Array(32).fill(7));
const NAMINGS: readonly Naming[] = ['slug', 'alias'];
const TEXT_BREAKS: readonly Scene[] = ['error in mid-stream', 'no finish', 'cut', 'abort'];
const CALL_BREAKS: readonly Scene[] = ['call, error', 'call, no finish', 'call, cut', 'broken arguments'];
const LONG = 300_000;
/** It would repeat for half a minute what stays broken. */
const ONCE = 'request_max_retries = 1\nstream_max_retries = 1\n';
const CITY_SCHEMA = {
  type: 'object',
  properties: { city: { type: 'string' }, inhabitants: { type: 'number' } },
  required: ['city', 'inhabitants'],
  additionalProperties: false,
};
const PATCH = '*** Begin Patch\n*** Add File: made.txt\n+The "word" is\n+here.\n*** End Patch';

type Part = Pick<CodexJob, 'text'> & Partial<CodexJob>;

/** It has failed, and says so to people and to scripts. */
function expectFailed({ exitCode, failure, output }: CodexRun, said: RegExp): void {
  expect(exitCode).toBe(1);
  expect(failure).toMatch(said);
  expect(output).not.toContain('secret');
}

const itemOf = ({ items }: CodexRun, type: string): object | undefined => items.find((item) => item.type === type);
const toolsIn = ({ body }: UpstreamRequest): readonly unknown[] => (body as { readonly tools?: readonly unknown[] }).tools ?? [];

/** What Codex does at a deployment whose engine plays along, with the settings of the page. */
export function describeCodex(company: Company): void {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'slipway-codex-files-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const run = (part: Part, naming: Naming = 'slug'): Promise<CodexRun> =>
    runCodex(company.packages, { ...company.stage.at('vllm', naming), folder, ...part });
  const requestsDuring = async (work: () => Promise<unknown>): Promise<readonly UpstreamRequest[]> => {
    const { requests } = company.stage.upstreamOf('vllm');
    const before = requests.length;
    await work();
    return requests.slice(before).filter(({ path }) => path.endsWith('/chat/completions'));
  };

  it.each(NAMINGS)('gets an answer (by %s)', async (naming) => {
    const { answer, exitCode, failure } = await run({ text: questionFor('text') }, naming);
    expect({ answer, exitCode, failure }).toEqual({ answer: PLAYED_TEXT, exitCode: 0, failure: null });
  });

  it('runs a shell command and answers with its output', async () => {
    const done = await run({ text: questionForCall('call', 'exec_command', { cmd: 'echo said by a shell' }) });
    expect(itemOf(done, 'command_execution')).toMatchObject({ exit_code: 0, aggregated_output: 'said by a shell\n' });
    expect(done.answer).toContain('said by a shell');
  });

  it('calls a tool of an MCP server by its namespace', async () => {
    const done = await run({ text: questionForCall('call', 'mcp__weather__get_weather', { city: 'Paris' }), mcp: true });
    expect(itemOf(done, 'mcp_tool_call')).toMatchObject({ server: 'weather', tool: 'get_weather', status: 'completed' });
    expect(done.answer).toContain('Sunny in Paris');
  });

  it('applies a patch, once its catalogue knows the model', async () => {
    const done = await run({ text: questionForCall('call', 'apply_patch', { input: PATCH }), catalogue: true });
    expect(itemOf(done, 'file_change')).toMatchObject({ status: 'completed' });
    expect(await readFile(join(folder, 'made.txt'), 'utf8')).toBe('The "word" is\nhere.\n');
    expect(itemOf(done, 'error')).toBeUndefined();
  });

  it('gets an object of its schema beside tools', async () => {
    const { answer, exitCode } = await run({ text: questionFor('object'), schema: CITY_SCHEMA });
    expect(exitCode).toBe(0);
    expect(JSON.parse(answer)).toEqual(CITY);
  });

  it('compacts a conversation that has become too long, and goes on', async () => {
    let done: CodexRun | undefined;
    const requests = await requestsDuring(async () => {
      done = await run({ text: questionFor('text'), next: questionFor('text'), settings: 'model_auto_compact_token_limit = 10' });
    });
    expect(done).toMatchObject({ answer: PLAYED_TEXT, exitCode: 0, failure: null });
    // The turn, the summary, which offers no tools, and the second turn.
    expect(requests.map((request) => toolsIn(request).length > 0)).toEqual([true, false, true]);
  });

  it('goes on over HTTP when it would rather have a socket', async () => {
    const { answer, exitCode } = await run({ text: questionFor('text'), provider: 'supports_websockets = true\n' });
    expect({ answer, exitCode }).toEqual({ answer: PLAYED_TEXT, exitCode: 0 });
  });

  it('waits for a model that says nothing for longer than it waits itself', { timeout: LONG }, async () => {
    const { answer, errors } = await run({ text: questionFor('slow'), provider: `${ONCE}stream_idle_timeout_ms = 20000\n` });
    expect({ answer, errors }).toEqual({ answer: PLAYED_TEXT, errors: [] });
  });

  it('leaves the engine alone when it is ended', async () => {
    const leaving = new AbortController();
    const running = run({ text: questionFor('silence'), signal: leaving.signal });
    await until('the stream is under way', () => company.stage.upstreamOf('vllm').live === 1, 60_000);
    leaving.abort();
    expect((await running).exitCode).toBeNull();
    await until('the engine is left alone', () => company.stage.upstreamOf('vllm').live === 0);
  });

  it.each(TEXT_BREAKS)('says that it failed when the text of every try breaks off (%s)', async (scene) => {
    expectFailed(await run({ text: questionFor(scene), provider: ONCE }), /stream disconnected before completion/);
  });

  it.each(CALL_BREAKS)('never runs a call that was not made to its end (%s)', async (scene) => {
    const path = join(folder, `${scene.replaceAll(/\W/g, '-')}.txt`);
    const text = questionForCall(scene, 'exec_command', { cmd: `touch ${path}` });
    expectFailed(await run({ text, provider: ONCE }), /stream disconnected before completion|502/);
    expect(existsSync(path)).toBe(false);
  });

  it('shows that its key is unknown', async () => {
    expectFailed(await run({ text: 'hi', apiKey: UNKNOWN_KEY, provider: ONCE }), /Incorrect API key/);
  });

  it('shows that the deployment is stopped', async () => {
    const { stage } = company;
    const { id, path } = await stage.narrow();
    await stage.rig.command(StopDeployment, { account: stage.tenant.account, deployment: id });
    await stage.rig.whenSeen(stage.tenant.account, id, { state: 'stopped' });
    const stopped = await run({ text: 'hi', baseURL: `${stage.gateway}/${path}`, model: path });
    expectFailed(stopped, /stopped/);
    expect(stopped.errors).toHaveLength(1);
  });

  it('understands that its prompt is too long', async () => {
    expectFailed(await run({ text: questionFor('context overflow') }), /ran out of room/);
  });

  it('says that it failed when the worker is killed in mid-stream and no other one comes', { timeout: LONG }, async () => {
    const { stage } = company;
    const running = run({ text: questionFor('silence'), provider: ONCE });
    await until('the stream is under way', () => stage.upstreamOf('vllm').live === 1, 60_000);
    await stage.rig.process('inference-worker').stop('SIGKILL');
    expectFailed(await running, /\w/);
    stage.rig.spawn('inference-worker');
    await stage.whenAllServed();
  });
}
