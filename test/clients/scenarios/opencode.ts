import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatKey, StopDeployment } from '@slipway/contracts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { until } from '../../testing/until.js';
import type { Naming } from '../stage/client-stage.js';
import { type OpencodeJob, type OpencodeRun, runOpencode } from '../stage/opencode.js';
import { PLAYED_TEXT, questionFor, questionForCall, type Scene } from '../stage/played-scenes.js';
import type { Company } from './company.js';

const UNKNOWN_KEY = formatKey('dep', new Uint8Array(32).fill(6));
const NAMINGS: readonly Naming[] = ['slug', 'alias'];
/** One of each kind: it repeats for a minute what stays broken. */
const BREAKS: readonly Scene[] = ['call, error', 'call, cut'];
const LONG = 300_000;

/** It has failed, and says so to people and to scripts. */
function expectFailed({ exitCode, errors, output }: OpencodeRun, said: RegExp): void {
  expect(exitCode).toBe(1);
  expect(errors.join('\n')).toMatch(said);
  expect(output).not.toContain('secret');
}

/** What opencode does at a deployment whose engine plays along, with the settings of the page. */
export function describeOpencode(company: Company): void {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'slipway-opencode-files-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const run = (part: Pick<OpencodeJob, 'text'> & Partial<OpencodeJob>, naming: Naming = 'slug'): Promise<OpencodeRun> =>
    runOpencode(company.packages, { ...company.stage.at('vllm', naming), ...part });

  it.each(NAMINGS)('gets an answer (by %s)', async (naming) => {
    const { text, exitCode, errors } = await run({ text: questionFor('text') }, naming);
    expect({ text, exitCode, errors }).toEqual({ text: PLAYED_TEXT, exitCode: 0, errors: [] });
  });

  it('runs a command and answers with its output', async () => {
    const { text, tools, exitCode } = await run({
      text: questionForCall('call', 'bash', { command: 'echo said by a shell', description: 'says it' }),
    });
    expect(tools).toMatchObject([{ tool: 'bash', status: 'completed', output: expect.stringContaining('said by a shell') as string }]);
    expect(text).toContain('said by a shell');
    expect(exitCode).toBe(0);
  });

  it('leaves the engine alone when it is ended', async () => {
    const leaving = new AbortController();
    const running = run({ text: questionFor('silence'), signal: leaving.signal });
    await until('the stream is under way', () => company.stage.upstreamOf('vllm').live === 1, 60_000);
    leaving.abort();
    expect((await running).exitCode).toBeNull();
    await until('the engine is left alone', () => company.stage.upstreamOf('vllm').live === 0);
  });

  it.each(BREAKS)('never runs a call that was not made to its end (%s)', { timeout: LONG }, async (scene) => {
    const path = join(folder, `${scene.replaceAll(/\W/g, '-')}.txt`);
    const text = questionForCall(scene, 'bash', { command: `touch ${path}`, description: 'makes it' });
    expectFailed(await run({ text }), /engine|connect/i);
    expect(existsSync(path)).toBe(false);
  });

  it('shows that its key is unknown', async () => {
    expectFailed(await run({ text: 'hi', apiKey: UNKNOWN_KEY }), /Incorrect API key/);
  });

  it('shows that the deployment is stopped', async () => {
    const { stage } = company;
    const { id, path } = await stage.narrow();
    await stage.rig.command(StopDeployment, { account: stage.tenant.account, deployment: id });
    await stage.rig.whenSeen(stage.tenant.account, id, { state: 'stopped' });
    expectFailed(await run({ text: 'hi', baseURL: `${stage.gateway}/${path}`, model: path }), /stopped/);
  });

  it('says that it failed when the worker is killed in mid-stream and no other one comes', { timeout: LONG }, async () => {
    const { stage } = company;
    const running = run({ text: questionFor('silence') });
    await until('the stream is under way', () => stage.upstreamOf('vllm').live === 1, 60_000);
    await stage.rig.process('inference-worker').stop('SIGKILL');
    expectFailed(await running, /worker|engine|connect/i);
    stage.rig.spawn('inference-worker');
    await stage.whenAllServed();
  });
}
