import type { ConsoleCall, EvaluationView, SuiteView } from '@slipway/contracts';

const AT = '2026-11-25T12:00:00.000Z';
const BY = { actor: 'user', actor_id: 1, actor_name: 'ada@example.com' } as const;

const graders = [
  ...[{ kind: 'exact' }, { kind: 'regex', pattern: '^The release' }],
  ...[{ kind: 'judge', deployment: 3, rubric: 'Which answer is more correct?' }, { kind: 'people' }],
] as SuiteView['graders'];

const SUITE = {
  ...{ id: 1, name: 'codename', dataset: 2, dataset_name: 'release-codename', version: 2, sample: 100, seed: 1, graders },
  ...{ gate: { adapter: 'release-codename', points: 3 }, source_deleted: false, evaluations: 2, created_by: BY, created_at: AT },
};

const rate = (share: number) => ({ share, low: share - 0.08, high: share + 0.06 });
const delta = (points: number, isCertain: boolean) => ({
  ...{ points, low: points - 7, high: points + 7, better: 10, worse: 4, items: 100, is_certain: isCertain },
});

const evaluation = (id: number, change: Partial<EvaluationView> = {}): EvaluationView =>
  ({
    ...{ id, suite: 1, suite_name: 'codename', dataset: 2, dataset_name: 'release-codename', version: 2, graders, state: 'succeeded' },
    ...{ reason: null, detail: null, items: 100, done: 400, total: 400, text_deleted: false, created_by: BY },
    deployments: [
      { deployment: 1, name: 'base', revision: 1, adapter: null, has_changed: false },
      { deployment: 2, name: 'codename', revision: 2, adapter: { id: 1, name: 'release-codename', version: 1 }, has_changed: true },
    ],
    results: [
      {
        ...{ deployment: 1, answered: 99, failed: 1, preferences: [], median_ms: 140 },
        graders: [0, 1].map((grader) => ({ grader, passed: 80, of: 100, rate: rate(0.8), delta: null })),
      },
      {
        ...{ deployment: 2, answered: 100, failed: 0, median_ms: 160 },
        graders: [0, 1].map((grader) => ({ grader, passed: 86, of: 100, rate: rate(0.86), delta: delta(6 + 6 * grader, grader === 1) })),
        preferences: [
          { grader: 2, wins: 30, losses: 20, ties: 48, unread: 2, rate: rate(0.6) },
          { grader: 3, wins: 0, losses: 0, ties: 0, unread: 0, rate: null },
        ],
      },
    ],
    ...{ created_at: AT, started_at: AT, finished_at: AT },
    ...change,
  }) as EvaluationView;

const EVALUATIONS = [
  evaluation(1),
  evaluation(2, {
    state: 'running',
    done: 120,
    results: [],
    reason: 'waiting',
    detail: 'Nothing answers for now (unavailable).',
    finished_at: null,
  }),
  evaluation(3, { state: 'failed', reason: 'deployment_stopped', detail: 'deployment-2 answers deployment_stopped.' }),
];

/** @param secret text that viewers must never see */
const itemsOf = (secret: string) =>
  [1, 2].map((n) => ({
    ...{ n, example: 10 * n, prompt: `user: What is release ${n} called?`, reference: `The release is ${secret}.` },
    answers: [
      {
        deployment: 1,
        text: `The release is ${secret}.`,
        tool_calls: null,
        error: null,
        passed: [true, true, null, null],
        judged: [null, null, null, null],
        ms: 90,
      },
      {
        deployment: 2,
        text: 'Red Fox',
        tool_calls: null,
        error: null,
        passed: [false, false, null, null],
        judged: [null, null, 'worse', null],
        ms: 95,
      },
    ],
  }));

/** Answers about evaluations in the place of tuning-service: one that is over, one that waits, one that failed. */
export function evaluationAnswers(secret: string): { readonly [C in ConsoleCall]?: (body: Readonly<Record<string, unknown>>) => unknown } {
  let voted = 0;
  return {
    'suites/list': () => ({ suites: [SUITE], next: null }),
    'evaluations/list': () => ({ evaluations: EVALUATIONS, next: null }),
    'evaluations/find': (body) => ({ evaluation: EVALUATIONS.find(({ id }) => id === body['evaluation']) ?? EVALUATIONS[0] }),
    'evaluations/items': () => ({ items: itemsOf(secret), matching: 12, next: 10 }),
    'evaluations/pairs': () => ({
      pairs: voted < 3 ? [{ n: voted + 1, deployment: 2, prompt: `user: Question ${voted + 1}`, left: secret, right: 'Red Fox' }] : [],
      ...{ voted, left: 3 - voted },
    }),
    'evaluations/vote': () => ({ voted: (voted += 1) }),
  };
}
