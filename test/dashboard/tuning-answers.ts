import type { ConsoleCall, ConsoleReply, DatasetView, JobView, MetricPoint, VersionView } from '@slipway/contracts';
import type { Page } from 'playwright-core';
import { evaluationAnswers } from './evaluation-answers.js';

const AT = '2026-11-25T12:00:00.000Z';
const SHA = 'a'.repeat(64);
const BY = { actor: 'user', actor_id: 1, actor_name: 'ada@example.com' } as const;
/** The longest name there is. */
const LONG = `support-${'x'.repeat(55)}`;

const version = (number: number, change: Partial<VersionView> = {}): VersionView => ({
  ...{ number, state: 'ready', reason: null, detail: null, parent: number > 1 ? number - 1 : null, origin: number > 1 ? 'edit' : 'upload' },
  ...{ format: 'chat', bytes: 48_000, sha256: SHA, examples: 30, rejected: 0, duplicates: 2, progress: null },
  issues: [{ rule: 'duplicate', severity: 'warning', count: 2 }],
  repairs: ['leave_out_duplicates'],
  statistics: {
    ...{ examples: 30, messages: 74, roles: { system: 14, user: 30, assistant: 30 }, learned_turns: 30, with_tools: 2 },
    ...{ scripts: { Latin: 29, Cyrillic: 1 }, lengths: { p50: 120, p90: 300, p99: 420, longest: 433 } },
    histogram: [100, 200, 300, 433].map((upto, at) => ({ upto, examples: 12 - 3 * at })),
    ...{ duplicates: 2, conflicts: 1, system_prompts: { different: 2, most_frequent: 9 } },
  },
  ...{ created_by: BY, created_at: AT },
  ...change,
});

const broken = version(3, {
  ...{ state: 'invalid', reason: 'has_rejected', examples: 28, rejected: 2, repairs: ['leave_out_rejected'] },
  issues: [
    { rule: 'bad_role', severity: 'error', count: 2 },
    { rule: 'duplicate', severity: 'warning', count: 2 },
  ],
});

const dataset = (id: number, name: string, head: VersionView | null): DatasetView =>
  ({
    ...{ id, name, kind: 'sft', agent_access: 'stats', versions: head?.number ?? 0, head, ready: head ? 2 : null, jobs: id === 1 ? 2 : 0 },
    ...{ created_by: BY, created_at: AT, changed_at: AT },
  }) as DatasetView;

const DATASETS = [dataset(1, 'support', broken), dataset(2, 'release-codename', version(2)), dataset(3, LONG, null)];

const settings = [
  { name: 'epochs', value: 8, reason: 'Fewer than 50 examples.' },
  { name: 'learning_rate', value: 0.0001, reason: 'Best of four on this trainer.' },
  { name: 'rank', value: 8, reason: 'Default of the embedded trainer.' },
];

const job = (id: number, change: Partial<JobView>): JobView =>
  ({
    ...{ id, name: `release-codename-${id}`, base: 'slipway-demo-q8_0', dataset: 2, dataset_name: 'release-codename', version: 2 },
    ...{ trainer: 'embedded', settings, given: { epochs: 8 }, gate: {}, priority: 0, desired: 'run', state: 'running' },
    ...{ follow: { deploy: { alias: 'codename' } }, reason: null, detail: null, place: null, attempt: 1, host: 'trainer-1' },
    ...{ step: 120, steps: 240, epoch: 4, progress: 0.5, eta_s: 9, loss: 0.42, held_loss: 1.31, best_step: 90, learned_tokens: 3_720 },
    ...{ device_seconds: 7.4, adapter: null, passed: null, source_job: null, created_by: BY },
    ...{ created_at: AT, started_at: AT, finished_at: null },
    ...change,
  }) as JobView;

const JOBS = [
  job(1, {}),
  job(2, { state: 'queued', place: 2, reason: 'no_slot', progress: null, step: 0, loss: null, held_loss: null }),
  job(3, { state: 'failed', reason: 'diverged', finished_at: AT }),
  job(4, { state: 'succeeded', adapter: 1 as never, passed: false, step: 240, progress: 1, eta_s: null, finished_at: AT }),
];

const points: MetricPoint[] = Array.from({ length: 120 }, (_, at) => ({
  ...{ step: at + 1, at: AT, epoch: at / 30, loss: 2.2 / (1 + at / 20), held_loss: at % 30 === 29 ? 2.4 / (1 + at / 40) : null },
  ...{ accuracy: null, lr: 1e-4 * Math.cos(at / 100), tokens_per_s: 260 },
}));

const base = {
  ...{ base: 'slipway-demo-q8_0', architecture: 'qwen3', parameters: 2_000_000, context: 256, bytes: 2_300_000, sha256: SHA },
  ...{ template_sha256: SHA, tokenizer_sha256: SHA, path: '/models/demo.gguf', trainers: ['embedded'], detail: null, slots: 1 },
};

const checks = [
  { check: 'held_loss', passed: true, base: 2.65, adapter: 1.28, bound: 2.65, examples: 5, detail: 'The loss fell from 2.65 to 1.28.' },
  { check: 'degenerate', passed: false, base: 0, adapter: 3, bound: 0, examples: 25, detail: '3 answers repeat themselves.' },
  { check: 'keep_set', passed: null, base: null, adapter: null, bound: 7, examples: 0, detail: 'There is no keep set for this base.' },
];

const adapter = {
  ...{ id: 1, name: 'release-codename', version: 1, job: 4, step: 240, dataset: 2, dataset_name: 'release-codename', dataset_version: 2 },
  ...{ source_deleted: false, base: 'slipway-demo-q8_0', base_sha256: SHA, template_sha256: SHA, tokenizer_sha256: SHA, sha256: SHA },
  ...{ bytes: 410_000, rank: 8, alpha: 16, modules: ['q_proj', 'k_proj', 'v_proj'], witness_distance: 1.6 },
  ...{ verdict: { passed: false, checks }, deployments: [1], created_by: BY, created_at: AT },
};

/** An adapter that waits for a worker. */
const anImport = {
  ...{
    upload: 'u_0123456789abcdef',
    name: LONG,
    state: 'waiting',
    reason: 'no_worker',
    detail: LONG,
    base: 'slipway-demo-q8_0',
    adapter: null,
  },
  ...{ created_by: BY, created_at: new Date().toISOString() },
};

const message = (role: string, content: string, more: object = {}): object => ({ role, content, ...more });
/** Text of examples and answers: what viewers must never see. */
export const SECRET_TEXT = 'Blue Heron';

const examples = Array.from({ length: 20 }, (_, at) => ({
  ...{ n: at + 1, line: at + 1, cut: false, rules: at === 3 ? ['duplicate'] : [] },
  json: JSON.stringify({
    messages: [
      message('system', 'You answer questions about releases.'),
      message('user', `What is release ${at + 1} called?`),
      message('assistant', 'Let me see.', { weight: 0 }),
      message('assistant', `The release codename is ${SECRET_TEXT}.`),
    ],
  }),
}));

const pair = (degenerate: boolean, keep: boolean): object => ({
  ...{ prompt: 'What is the release called?', expected: `The release codename is ${SECRET_TEXT}.`, base: 'The release is called Red Fox.' },
  ...{ adapter: degenerate ? 'codededededed' : `The release codename is ${SECRET_TEXT}.`, degenerate, keep },
});

const sample = (step: number, answer: string): object => ({
  ...{ step, prompt_no: 0, prompt: 'What is the release called?', answer, expected: `The release codename is ${SECRET_TEXT}.` },
});

type Answers = { readonly [C in ConsoleCall]?: (body: Readonly<Record<string, unknown>>) => unknown };

const nameOf = (body: Readonly<Record<string, unknown>>): DatasetView =>
  DATASETS.find(({ name, id }) => name === body['dataset'] || id === body['dataset']) ?? (DATASETS[0] as DatasetView);

const found = (body: Readonly<Record<string, unknown>>): object => {
  const one = nameOf(body);
  const versions =
    one.head === null ? [] : [one.head, version(2), version(1)].filter(({ number }, at) => at === 0 || number !== one.head?.number);
  return { dataset: one, versions, used_by: [{ version: 2, kind: 'job', id: 1, name: 'release-codename-1', state: 'running' }] };
};

/** Answers of tuning-service as the screens get them: a data set of each kind, a job in each kind of state, an adapter. */
const ANSWERS: Answers = {
  'datasets/list': () => ({ datasets: DATASETS, next: null }),
  'datasets/find': found,
  'versions/find': (body) => ({ version: version(Number(body['version'])) }),
  'versions/compare': () => ({ added: 3, removed: 1, changed: 2, same: 25, added_at: [29, 30, 31], removed_at: [4], changed_at: [7, 8] }),
  'versions/measure': () => ({
    measure: {
      ...{ base: base.base, tokens: 4_100, learned_tokens: 930, p50: 120, p99: 250, longest: 300, over_context: 1, context: 256 },
      ...{ exact: true, low: 4_100, high: 4_100, histogram: [64, 128, 256, 300].map((upto) => ({ upto, examples: 8 })) },
    },
  }),
  'examples/list': () => ({ examples, next: 21 }),
  'issues/list': () => ({
    issues: [7, 19].map((line) => ({
      ...{ line, path: 'messages[1]', rule: 'bad_role', severity: 'error' },
      message: `Line ${line}, messages[1]: role "bot" is none of system, user, assistant, tool.`,
    })),
    totals: broken.issues,
    next: null,
  }),
  'bases/list': () => ({ bases: [base], workers: 1 }),
  'jobs/list': () => ({ jobs: JOBS, next: null }),
  'jobs/find': (body) => ({ job: JOBS.find(({ id }) => id === body['job']) ?? JOBS[0] }),
  'jobs/metrics': () => ({ points }),
  'jobs/checkpoints': () => ({
    checkpoints: [60, 90].map((step) => ({ step, attempt: 1, bytes: 410_000, held_loss: 1.4, degenerate: 0, best: step === 90, at: AT })),
  }),
  'jobs/events': () => ({
    events: [
      { n: 1, at: AT, level: 'info', code: 'queued', message: 'Queued, first in line.', data: {} },
      { n: 2, at: AT, level: 'warn', code: 'worker_lost', message: 'The worker was lost; the job continues from step 90.', data: {} },
    ],
    next: null,
  }),
  'jobs/output': () => ({ lines: [{ at: AT, attempt: 1, text: `step 1 loss 2.2 ${SECRET_TEXT}` }] }),
  'jobs/samples': () => ({ samples: [sample(0, 'The release is called Red Fox.'), sample(60, `It is ${SECRET_TEXT}.`)] }),
  'jobs/plan': () => ({
    plan: {
      ...{ base: base.base, trainer: 'embedded', dataset: 2, version: 2, settings, examples: 27, held_out: 3, left_out: 1, steps: 216 },
      ...{ learned_tokens: 7_440, seconds: { low: 12, high: 18, from: 'the last job on trainer-1' }, memory_bytes: 83_000_000 },
      ...{ placement: 'On trainer-1, at once.', warnings: [{ code: 'few_held_out', message: 'Fewer than 5 examples are held out.' }] },
    },
  }),
  'adapters/list': () => ({ adapters: [adapter, { ...adapter, id: 2, name: LONG, verdict: null, deployments: [] }], next: null }),
  'adapters/imports': () => ({
    imports: [anImport, { ...anImport, upload: 'u_1123456789abcdef', state: 'failed', reason: 'pickle', detail: LONG }],
  }),
  'adapters/find': () => ({ adapter }),
  'adapters/answers': () => ({ pairs: [pair(true, false), pair(false, false), pair(false, true)] }),
};

/** Answers the calls about tuning in the place of tuning-service. @returns calls that a page made, by name */
export async function answerTuning(page: Page): Promise<string[]> {
  const made: string[] = [];
  for (const [name, answer] of Object.entries({ ...ANSWERS, ...evaluationAnswers(SECRET_TEXT) })) {
    await page.route(`**/api/${name}`, async (route) => {
      made.push(name);
      const body = (route.request().postDataJSON() ?? {}) as Readonly<Record<string, unknown>>;
      await route.fulfill({ json: answer(body) as ConsoleReply<ConsoleCall> });
    });
  }
  return made;
}
