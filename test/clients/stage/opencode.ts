import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ClientPackages, opencodeOf } from './client-packages.js';
import type { Job } from './client-process.js';
import { jsonLines, runProgram } from './run-program.js';

const PAGE = readFileSync(new URL('../../../docs/connect-your-client.md', import.meta.url), 'utf8');

/** The settings that users are shown. */
const SETTINGS = /^```json\n(\{\n {2}"\$schema": "https:\/\/opencode.*?)^```/ms.exec(PAGE)?.[1] ?? '';

/** Its prompt. */
export interface OpencodeJob extends Pick<Job, 'baseURL' | 'apiKey' | 'model' | 'text'> {
  /** Ends it. */
  readonly signal?: AbortSignal;
}

/** What a run of opencode says to its user. */
export interface OpencodeRun {
  readonly exitCode: number | null;
  readonly text: string;
  /** Tools that it ran, with their state. */
  readonly tools: readonly { readonly tool: string; readonly status: string; readonly output: string }[];
  readonly errors: readonly string[];
  readonly output: string;
}

interface Printed {
  readonly type: string;
  readonly part?: {
    readonly text?: string;
    readonly tool?: string;
    readonly state?: { readonly status: string; readonly output?: string };
  };
  readonly error?: object;
}

/** Runs opencode once without asking its user, in an empty folder with an empty home. It quotes words with blanks in them. */
export async function runOpencode(packages: ClientPackages, { baseURL, apiKey, model, text, signal }: OpencodeJob): Promise<OpencodeRun> {
  const home = await mkdtemp(join(tmpdir(), 'slipway-opencode-'));
  try {
    const settings = SETTINGS.replace('http://127.0.0.1:8080/local/demo/v1', `${baseURL}/v1`).replaceAll(/(?<=["/])demo(?=")/g, model);
    await writeFile(join(home, 'opencode.json'), settings);
    const env = {
      PATH: process.env['PATH'] ?? '',
      HOME: home,
      SLIPWAY_API_KEY: apiKey,
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
    };
    const args = ['run', '--format', 'json', '--auto', '--title', 'test', ...text.split(' ')];
    const { stdout, stderr, exitCode } = await runProgram(opencodeOf(packages), args, { cwd: home, env, signal });
    const lines = jsonLines<Printed>(stdout);
    return {
      exitCode,
      text: lines.flatMap(({ type, part }) => (type === 'text' ? [part?.text ?? ''] : [])).join(''),
      tools: lines.flatMap(({ type, part }) =>
        type === 'tool_use' ? [{ tool: part?.tool ?? '', status: part?.state?.status ?? '', output: part?.state?.output ?? '' }] : [],
      ),
      errors: lines.flatMap(({ type, error }) => (type === 'error' ? [JSON.stringify(error)] : [])),
      output: stdout + stderr,
    };
  } finally {
    await rm(home, { recursive: true, force: true, maxRetries: 5 });
  }
}
