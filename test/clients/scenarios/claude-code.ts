import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatKey, StopDeployment } from '@slipway/contracts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { until } from '../../testing/until.js';
import { type ClaudeJob, type ClaudeRun, runClaudeCode } from '../stage/claude-code.js';
import { type Backend, type Naming } from '../stage/client-stage.js';
import { PLAYED_TEXT, questionFor, questionForCall, type Scene } from '../stage/played-scenes.js';
import type { Company } from './company.js';

const UNKNOWN_KEY = formatKey('dep', new Uint8Array(32).fill(8));
const NAMINGS: readonly Naming[] = ['slug', 'alias'];
const TEXT_BREAKS: readonly Scene[] = ['error in mid-stream', 'no finish', 'cut', 'abort'];
const CALL_BREAKS: readonly Scene[] = ['call, error', 'call, no finish', 'call, cut', 'broken arguments'];
const LONG = 300_000;

type Part = Pick<ClaudeJob, 'text'> & Partial<ClaudeJob>;

/** It has failed, and says so to people and to scripts. */
function expectFailed({ failed, exitCode, result }: ClaudeRun, said: RegExp): void {
  expect({ failed, exitCode }).toEqual({ failed: true, exitCode: 1 });
  expect(result).toMatch(said);
  expect(result).not.toContain('secret');
}

/** What Claude Code does at a deployment whose engine plays along; its prompt is larger than the demo model's context. */
export function describeClaudeCode(company: Company): void {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'slipway-claude-files-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const played = company.casting.backends.filter((backend) => backend !== 'demo');
  const run = (part: Part, backend: Backend = 'vllm', naming: Naming = 'slug'): Promise<ClaudeRun> =>
    runClaudeCode(company.packages, { ...company.stage.at(backend, naming), ...part });
  const places = played.flatMap((backend) => NAMINGS.map((naming) => ({ backend, naming })));

  it.each(places)('gets an answer ($backend, by $naming)', async ({ backend, naming }) => {
    expect(await run({ text: questionFor('text') }, backend, naming)).toMatchObject({ result: PLAYED_TEXT, failed: false, exitCode: 0 });
  });

  it.each(places)('uses a tool and answers with its result ($backend, by $naming)', async ({ backend, naming }) => {
    const path = join(folder, `${backend}-${naming}.txt`);
    await writeFile(path, `The word is ${backend}-${naming}.\n`);
    const text = questionForCall('call', 'Read', { file_path: path });
    const { result, failed, turns } = await run({ text, allowed: ['Read'] }, backend, naming);
    expect(result).toContain(`The word is ${backend}-${naming}.`);
    expect({ failed, turns }).toEqual({ failed: false, turns: 2 });
  });

  it('counts its context by our count_tokens', async () => {
    const counts = (): number => company.stage.upstreamOf('vllm').requests.filter(({ path }) => path === '/tokenize').length;
    const before = counts();
    const { result, failed } = await run({ text: '/context' });
    expect(failed).toBe(false);
    expect(result).toMatch(/tokens/i);
    expect(counts()).toBeGreaterThan(before);
  });

  it.each(TEXT_BREAKS)('says that it failed when the text of every try breaks off (%s)', async (scene) => {
    expectFailed(await run({ text: questionFor(scene) }), /engine/i);
  });

  it.each(CALL_BREAKS)('never runs a call that was not made to its end (%s)', async (scene) => {
    const path = join(folder, `${scene.replaceAll(/\W/g, '-')}.txt`);
    const text = questionForCall(scene, 'Write', { file_path: path, content: 'written' });
    expectFailed(await run({ text, allowed: ['Write'] }), /engine/i);
    expect(existsSync(path)).toBe(false);
  });

  it('asks to log in when its key is unknown', async () => {
    expectFailed(await run({ text: 'hi', apiKey: UNKNOWN_KEY }), /login/i);
  });

  it('shows that the deployment is stopped', async () => {
    const { stage } = company;
    const { id, path } = await stage.narrow();
    await stage.rig.command(StopDeployment, { account: stage.tenant.account, deployment: id });
    await stage.rig.whenSeen(stage.tenant.account, id, { state: 'stopped' });
    expectFailed(await run({ text: 'hi', baseURL: `${stage.gateway}/${path}`, model: path }), /stopped/);
  });

  it('understands that its prompt is too long', async () => {
    expectFailed(await run({ text: questionFor('context overflow') }), /too long/i);
  });

  it('says that it failed when the worker is killed in mid-stream and no other one comes', { timeout: LONG }, async () => {
    const { stage } = company;
    const running = run({ text: questionFor('silence') });
    await until('the stream is under way', () => stage.upstreamOf('vllm').live === 1, 60_000);
    await stage.rig.process('inference-worker').stop('SIGKILL');
    expectFailed(await running, /\w/);
    stage.rig.spawn('inference-worker');
    await stage.whenAllServed();
  });
}
