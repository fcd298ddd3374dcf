import type { ConsoleReply, ConsoleRequest } from '@slipway/contracts';
import type { Page, Route } from 'playwright-core';

export const AT = '2026-11-20T10:00:00.000Z';
export const LONG_NAME = 'A deployment with the longest name that is allowed '.repeat(2).slice(0, 100);
export const LONG_ALIAS = `a${'-long-name'.repeat(6)}-x`;
const LONG_MODEL = `${'a-model-with-a-long-name-'.repeat(5)}.Q4_K_M.gguf`;

const FILE = { kind: 'file', path: '/models/tiny.gguf' };
const READY = { desired: 'ready', state: 'ready', reason: null, detail: null, progress: null };
const SIZE = {
  rev: 2,
  serving_rev: 2,
  replicas: 2,
  ready_replicas: 2,
  slots: 4,
  created_at: AT,
  since: AT,
  updated_at: AT,
  engine: 'llama',
};
const FAILED = { ...READY, state: 'failed', reason: 'engine_unreachable', detail: 'The engine answered 502: no route.', ready_replicas: 0 };

/** A deployment that serves, one with the longest names, and one that failed. */
const DEPLOYMENTS = [
  { id: 1, name: 'Demo', aliases: ['demo'], source: FILE, ...SIZE, ...READY },
  { id: 2, name: LONG_NAME, aliases: [LONG_ALIAS, 'b', 'c'], source: { kind: 'file', path: `/models/${LONG_MODEL}` }, ...SIZE, ...READY },
  {
    id: 3,
    name: 'Far away',
    aliases: [],
    source: { kind: 'http', url: 'http://far:8000', model: 'q' },
    ...SIZE,
    ...FAILED,
    engine: 'http',
  },
];

const revision = (rev: number, rest: object): object => ({
  ...{ rev, source: FILE, credential: false, context: 4_096, slots: 4, threads: null, default_max_tokens: null, created_at: AT },
  ...{ by: { actor: 'ops', actor_id: null, actor_name: null }, note: null, ...rest },
});

const ALLOWED = { allowed: true, hosts: [], detail: '' };
const OPTIONS = {
  sources: { file: ALLOWED, download: { allowed: false, hosts: [], detail: 'The operator can set MODEL_HOSTS.' }, http: ALLOWED },
  defaults: { replicas: { file: 1, download: 1, http: 2 }, slots: { file: 4, download: 4, http: 512 } },
  max: { replicas: 64, slots: 1_024, context: 1_000_000, threads: 8 },
  engines: [{ kind: 'llama', workers: 2 }],
  workers: 2,
  quotas: { deployments: 10, replicas: 20, aliases: 20 },
  used: { deployments: 3, replicas: 6, aliases: 4 },
};

const worker = (agent: string, fits: boolean): object => ({
  ...{ agent, host: 'vm', cores: 8, gpus: 0, memory_total: 8e9, memory_free: fits ? 6e9 : 1e9, memory_needed: 2e9, fits, load_ms: 4_000 },
  detail: fits ? null : 'It has 1.0 GB of memory left.',
});

const LATENCY = { ttft_ms: { p50: 90, p95: 140, p99: 200 } };
const USED = { requests: 42, errors: 1, prompt_tokens: 900, cached_tokens: 0, completion_tokens: 800, latency: LATENCY };

type Answers = Readonly<Record<string, (body: never) => unknown>>;

/** What the services answer, by the name of the call. */
const ANSWERS: Answers = {
  'deployments/list': () => ({ deployments: DEPLOYMENTS, next: null }),
  'deployments/find': ({ deployment }: ConsoleRequest<'deployments/find'>) => ({
    deployment: { ...DEPLOYMENTS.find(({ id }) => id === deployment), caps: ['tools'], context: 4_096 },
    revisions: [revision(2, { slots: 8, note: 'More at once' }), revision(1, {})],
    running: [{ agent: 'agent-1', host: 'vm', rev: 2, state: 'ready', progress: null, reason: null, detail: null, context: 4_096 }],
  }),
  'deployments/load': () => ({
    loads: DEPLOYMENTS.map(({ id }) => ({ deployment: id, in_flight: 3, queued: 1, slots: 8, gateways: 1, as_of: AT })),
    next: null,
  }),
  'deployments/events': () => ({ events: [], next: null }),
  'deployments/options': () => OPTIONS,
  'deployments/fit': ({ replicas = 1 }: ConsoleRequest<'deployments/fit'>) => ({
    ...{ model_bytes: 1e9, memory_needed: 2e9, replicas, placeable: 1 },
    workers: [worker('agent-aaaaaa', true), worker('agent-bbbbbb', false)],
  }),
  'models/list': () => ({
    models: [{ source: FILE, name: 'tiny.gguf', bytes: 1e9, hosts: ['vm'], deployments: [1] }],
    truncated: false,
    next: null,
  }),
  'usage/query': ({ from, group_by: groups }: ConsoleRequest<'usage/query'>) => ({
    rows: [{ from, ...USED, ...(groups.includes('deployment') && { deployment: 1 }), ...(groups.includes('key') && { key: 7 }) }],
    as_of: AT,
  }),
  'aliases/list': () => ({ aliases: [{ alias: 'demo', deployment: 1, since: AT }] }),
  'rollouts/list': () => ({ rollouts: [] }),
  'engines/test': () => ({
    tests: ['agent-aaaaaa', 'agent-bbbbbb'].map((agent) => ({
      ...{ agent, host: 'vm', outcome: 'answers', detail: null, server: 'vllm', context: 32_768, models: ['qwen3-4b', 'qwen3-8b'], ms: 4 },
    })),
  }),
};

/** A refusal as the console answers it. */
export const refusal = (code: string, message: string, param: string): Parameters<Route['fulfill']>[0] => ({
  status: 400,
  json: { error: { code, message, param } },
});

/** Lets the calls to deployments-service be answered here. @returns every call's body, by its name */
export async function answerDeployments(page: Page): Promise<ReadonlyMap<string, object[]>> {
  const asked = new Map<string, object[]>(Object.keys(ANSWERS).map((name) => [name, []]));
  for (const [name, answer] of Object.entries(ANSWERS)) {
    await page.route(`**/api/${name}`, async (route) => {
      const body = route.request().postDataJSON() as never;
      asked.get(name)?.push(body);
      await route.fulfill({ json: answer(body) });
    });
  }
  return asked;
}

type Line = ConsoleReply<'deployments/log'>['lines'][number];

/** A line of a log. */
export const logLine = (text: string, rest: object = {}): Line =>
  ({ at: Date.parse(AT), rev: 2, host: 'vm', agent: 'agent-1', text, ...rest }) as Line;
