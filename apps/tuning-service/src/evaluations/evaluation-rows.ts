import type {
  AccountId,
  AgentAccess,
  ComparedDeployment,
  DatasetId,
  DeploymentResult,
  EvaluationId,
  EvaluationState,
  EvaluationView,
  Grader,
  GraderView,
  SuiteGate,
  SuiteId,
  SuiteView,
} from '@slipway/contracts';
import type { z } from 'zod';
import { type ActorColumns, changedBy } from '../actor-columns.js';

/** What suites and evaluations say of the conversations that are asked. */
interface Asked extends ActorColumns {
  readonly account: AccountId;
  readonly dataset_id: DatasetId;
  readonly dataset_name: string;
  /** Null = the data set was deleted. */
  readonly agent_access: AgentAccess | null;
  readonly version: number;
  readonly sample: number;
  readonly seed: number;
  readonly graders: Grader[];
  readonly created_at: Date;
}

/** A row of `evaluation_suite`. */
export interface SuiteRow extends Asked {
  readonly id: SuiteId;
  readonly name: string;
  readonly gate_adapter: string | null;
  readonly gate_points: number | null;
  readonly evaluations: number;
}

/** A row of `evaluation`. */
export interface EvaluationRow extends Asked {
  readonly id: EvaluationId;
  readonly suite_id: SuiteId | null;
  readonly suite_name: string;
  readonly deployments: ComparedDeployment[];
  readonly state: EvaluationState;
  readonly reason: string | null;
  readonly detail: string | null;
  readonly items: number;
  readonly judge_calls: number;
  readonly text_deleted: boolean;
  readonly summary: DeploymentResult[] | null;
  /** Answers and verdicts that are stored. */
  readonly done: number;
  readonly started_at: Date | null;
  readonly finished_at: Date | null;
}

/** The gate of a suite; null = it is none. */
const gateOf = ({ gate_adapter: adapter, gate_points: points }: SuiteRow): SuiteGate | null =>
  adapter === null ? null : { adapter, points: points ?? 0 };

const withoutText = ({ kind, ...grader }: Grader): GraderView => {
  const { ignore_case, min, max, deployment } = grader as GraderView;
  return {
    kind,
    ...(ignore_case !== undefined && { ignore_case }),
    ...(min !== undefined && { min }),
    ...(max !== undefined && { max }),
    ...(deployment !== undefined && { deployment }),
  };
};

const shown = (graders: readonly Grader[], readsText: boolean): GraderView[] =>
  graders.map((grader) => (readsText ? { ...grader } : withoutText(grader)));

/** A suite as people see it. @param readsText whether they may read what a data set says */
export const suiteView = (row: SuiteRow, readsText: boolean): z.input<typeof SuiteView> => ({
  ...{ id: row.id, name: row.name, dataset: row.dataset_id, dataset_name: row.dataset_name, version: row.version },
  ...{ sample: row.sample, seed: row.seed, graders: shown(row.graders, readsText), gate: gateOf(row) },
  ...{ source_deleted: row.agent_access === null, evaluations: row.evaluations },
  created_by: changedBy(row),
  created_at: row.created_at.toISOString(),
});

/** Answers and verdicts that an evaluation wants. */
const wanted = ({ items, deployments, judge_calls: calls }: Pick<EvaluationRow, 'items' | 'deployments' | 'judge_calls'>): number =>
  items * deployments.length + calls;

/** An evaluation as people see it. @param results so far */
export const evaluationView = (
  row: EvaluationRow,
  results: readonly DeploymentResult[],
  readsText: boolean,
): z.input<typeof EvaluationView> => ({
  ...{ id: row.id, suite: row.suite_id, suite_name: row.suite_name, dataset: row.dataset_id, dataset_name: row.dataset_name },
  ...{ version: row.version, graders: shown(row.graders, readsText), state: row.state },
  reason: row.reason as z.input<typeof EvaluationView>['reason'],
  ...{ detail: row.detail, items: row.items, done: row.done, total: wanted(row), deployments: row.deployments },
  ...{ results: [...results], text_deleted: row.text_deleted, created_by: changedBy(row) },
  created_at: row.created_at.toISOString(),
  started_at: row.started_at?.toISOString() ?? null,
  finished_at: row.finished_at?.toISOString() ?? null,
});
