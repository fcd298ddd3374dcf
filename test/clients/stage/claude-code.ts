import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { claudeCodeOf, type ClientPackages } from './client-packages.js';
import type { Job } from './client-process.js';
import { jsonLines, runProgram } from './run-program.js';

/** What a run of Claude Code tells its user. */
export interface ClaudeRun {
  readonly result: string;
  readonly failed: boolean;
  readonly exitCode: number | null;
  readonly turns: number;
}

/** Its prompt. */
export interface ClaudeJob extends Pick<Job, 'baseURL' | 'apiKey' | 'model' | 'text'> {
  /** Tools that it may use without asking. */
  readonly allowed?: readonly string[];
}

interface Printed {
  readonly result?: string;
  readonly is_error: boolean;
  readonly num_turns: number;
}

const environmentFor = ({ baseURL, apiKey, model }: ClaudeJob, home: string): Record<string, string> => ({
  PATH: process.env['PATH'] ?? '',
  HOME: home,
  ANTHROPIC_BASE_URL: baseURL,
  ANTHROPIC_AUTH_TOKEN: apiKey,
  ANTHROPIC_MODEL: model,
  // Nothing but the deployment is called.
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  // It would repeat for minutes what stays broken.
  CLAUDE_CODE_MAX_RETRIES: '1',
});

/**
 * Runs Claude Code once in print mode, in an empty folder with an empty home.
 * @throws Error when it prints no result.
 */
export async function runClaudeCode(packages: ClientPackages, job: ClaudeJob): Promise<ClaudeRun> {
  const home = await mkdtemp(join(tmpdir(), 'slipway-claude-'));
  try {
    const allowed = job.allowed ? ['--allowedTools', ...job.allowed] : [];
    const args = ['-p', job.text, '--output-format', 'json', ...allowed];
    const { stdout, stderr, exitCode } = await runProgram(claudeCodeOf(packages), args, { cwd: home, env: environmentFor(job, home) });
    const printed = jsonLines<Printed>(stdout).at(-1);
    if (printed === undefined) throw new Error(`Claude Code ended with ${exitCode}:\n${stdout}${stderr}`);
    const { result = '', is_error: failed, num_turns: turns } = printed;
    return { result, failed, exitCode, turns };
  } finally {
    await rm(home, { recursive: true, force: true, maxRetries: 5 });
  }
}
