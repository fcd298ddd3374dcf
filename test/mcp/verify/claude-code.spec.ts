import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { claudeCodeOf, ensureClientPackages } from '../../clients/stage/client-packages.js';
import { McpStage } from '../stage/mcp-stage.js';

const WITHIN_MS = 120_000;

let program: string;
let stage: McpStage;
let home: string;
beforeAll(async () => {
  program = claudeCodeOf(await ensureClientPackages());
  stage = await McpStage.start();
  home = await mkdtemp(join(tmpdir(), 'slipway-claude-mcp-'));
}, 900_000);
afterAll(async () => {
  await stage.end();
  await rm(home, { recursive: true, force: true, maxRetries: 5 });
});

/** Runs a command with an empty home folder; fails when it does. */
function claude(...args: string[]): Promise<string> {
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1' };
  return new Promise((resolve, reject) => {
    execFile(program, ['mcp', ...args], { cwd: home, env, timeout: WITHIN_MS, killSignal: 'SIGKILL' }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout + stderr);
      else reject(new Error(`claude mcp ${args[0]}: ${stdout}${stderr}`, { cause: error }));
    });
  });
}

const add = (name: string, key: string): Promise<string> =>
  claude('add', '--scope', 'user', '--transport', 'http', name, `${stage.url}/mcp`, '--header', `Authorization: Bearer ${key}`);

describe('Claude Code', () => {
  it('connects as documented until its key is rotated', async () => {
    const [good, rotated] = [await stage.tenant(), await stage.tenant()];
    await stage.rotate(rotated.account);
    await add('slipway', good.mcp.value);
    await add('rotated', rotated.mcp.value);
    const listed = await claude('list');
    expect(listed).toMatch(/^slipway: .*Connected/m);
    expect(listed).toMatch(/^rotated: .*Failed to connect/m);
    // It keeps the key that it was given: it was led to no OAuth.
    expect(await readFile(join(home, '.claude.json'), 'utf8')).toContain(good.mcp.value);
    await expect.poll(() => stage.console.output, { timeout: 30_000 }).toContain(`"key_id":${good.mcp.id}`);
  });
});
