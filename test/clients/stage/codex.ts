import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ClientPackages, codexOf } from './client-packages.js';
import type { Job } from './client-process.js';
import { jsonLines, runProgram } from './run-program.js';

const MCP_SERVER = fileURLToPath(new URL('../programs/mcp-server.mjs', import.meta.url));
const PAGE = readFileSync(new URL('../../../docs/connect-your-client.md', import.meta.url), 'utf8');

/** What users are shown: the settings, and the catalogue in which the model is known. */
const SETTINGS = /^```toml\n(.*?)^```/ms.exec(PAGE)?.[1] ?? '';
const CATALOGUE = /^```json\n(\{\n  "models".*?)^```/ms.exec(PAGE)?.[1] ?? '';

/** One thing that Codex did, as `--json` prints it. */
export interface CodexItem {
  readonly type: string;
  readonly text?: string;
  readonly message?: string;
  readonly status?: string;
  readonly exit_code?: number | null;
  readonly aggregated_output?: string;
  readonly tool?: string;
  readonly result?: unknown;
}

/** What a run of Codex says to its user. */
export interface CodexRun {
  readonly exitCode: number | null;
  readonly items: readonly CodexItem[];
  /** What it said last. */
  readonly answer: string;
  /** Why it failed. */
  readonly failure: string | null;
  readonly errors: readonly string[];
  readonly output: string;
}

/** Its prompt, and what differs from the documented settings. */
export interface CodexJob extends Pick<Job, 'baseURL' | 'apiKey' | 'model' | 'text'> {
  /** TOML above the tables of the documented settings. */
  readonly settings?: string;
  /** TOML inside of the provider's table. */
  readonly provider?: string;
  /** A server of one tool is configured. */
  readonly mcp?: boolean;
  /** The schema of the answer. */
  readonly schema?: object;
  /** The documented catalogue of models is used. */
  readonly catalogue?: boolean;
  /** Where it works; absent = its empty home. */
  readonly folder?: string;
  /** What its user asks after that, in the same conversation. */
  readonly next?: string;
  /** Ends it. */
  readonly signal?: AbortSignal;
}

interface Printed {
  readonly type: string;
  readonly item?: CodexItem;
  readonly message?: string;
  readonly error?: { readonly message: string };
}

/** A busy machine starts a server more slowly than Codex waits by itself. */
const mcpTable = (node: string): string => `
[mcp_servers.weather]
command = ${JSON.stringify(node)}
args = [${JSON.stringify(MCP_SERVER)}]
startup_timeout_sec = 90
required = true
`;

/** The documented settings, at another deployment. */
function settingsFor({ baseURL, model, settings = '', provider = '', mcp = false }: CodexJob): string {
  const documented = SETTINGS.replace('http://127.0.0.1:8080/local/demo/v1', `${baseURL}/v1`).replace(
    'model = "demo"',
    `model = "${model}"`,
  );
  return `${settings}\n${documented}${provider}\n${mcp ? mcpTable(process.execPath) : ''}`;
}

async function prepare(home: string, job: CodexJob): Promise<string[]> {
  const [catalogue, schema] = [join(home, 'models.json'), join(home, 'schema.json')];
  const settings = [job.settings ?? '', ...(job.catalogue ? [`model_catalog_json = ${JSON.stringify(catalogue)}`] : [])].join('\n');
  await writeFile(join(home, 'config.toml'), settingsFor({ ...job, settings }));
  await writeFile(catalogue, CATALOGUE.replaceAll('"demo"', JSON.stringify(job.model)));
  if (!job.schema) return [];
  await writeFile(schema, JSON.stringify(job.schema));
  return ['--output-schema', schema];
}

function read(lines: readonly Printed[]): Omit<CodexRun, 'exitCode' | 'output'> {
  const items = lines.flatMap(({ type, item }) => (type === 'item.completed' && item ? [item] : []));
  return {
    items,
    answer: items.findLast(({ type }) => type === 'agent_message')?.text ?? '',
    failure: lines.find(({ type }) => type === 'turn.failed')?.error?.message ?? null,
    errors: lines.flatMap(({ type, message }) => (type === 'error' && message !== undefined ? [message] : [])),
  };
}

interface Turn {
  readonly args: readonly string[];
  readonly home: string;
}

async function runTurn(packages: ClientPackages, { apiKey, folder, signal }: CodexJob, { args, home }: Turn): Promise<CodexRun> {
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, CODEX_HOME: home, SLIPWAY_API_KEY: apiKey };
  const unguarded = ['exec', '--json', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox'];
  const { stdout, stderr, exitCode } = await runProgram(codexOf(packages), [...unguarded, ...args], { cwd: folder ?? home, env, signal });
  return { exitCode, output: stdout + stderr, ...read(jsonLines(stdout)) };
}

/** Runs Codex without asking its user, with an empty home, for one prompt or two. Commands run unguarded: tests alone say which. */
export async function runCodex(packages: ClientPackages, job: CodexJob): Promise<CodexRun> {
  const home = await mkdtemp(join(tmpdir(), 'slipway-codex-'));
  try {
    const more = await prepare(home, job);
    const first = await runTurn(packages, job, { home, args: [...more, job.text] });
    return job.next === undefined ? first : await runTurn(packages, job, { home, args: ['resume', '--last', job.next] });
  } finally {
    await rm(home, { recursive: true, force: true, maxRetries: 5 });
  }
}
