import { Injectable } from '@nestjs/common';
import type { AccountId, AdapterId } from '@slipway/contracts';
import type { EntityManager } from 'typeorm';
import type { SuiteOutcome } from './gate-verdicts.js';

interface Row {
  readonly adapter: AdapterId;
  readonly name: string;
  readonly points: number;
  readonly evaluation: SuiteOutcome['evaluation'];
}

/** Evaluations of deployments that served another revision at their end decide nothing. */
const OUTCOMES = `
  SELECT a.id AS adapter, s.name, s.gate_points::float8 AS points, newest.evaluation
  FROM adapter a JOIN evaluation_suite s ON s.account = a.account AND s.gate_adapter = a.name
  LEFT JOIN LATERAL (
    SELECT jsonb_build_object('id', e.id, 'baseline', e.deployments->0->>'name', 'graders', e.graders,
      'result', e.summary->(c.place::integer - 1)) AS evaluation
    FROM evaluation e CROSS JOIN LATERAL jsonb_array_elements(e.deployments) WITH ORDINALITY AS c (compared, place)
    WHERE e.suite_id = s.id AND e.state = 'succeeded' AND c.place > 1 AND c.compared->'adapter'->'id' = to_jsonb(a.id)
      AND NOT (c.compared->>'has_changed')::boolean AND NOT (e.deployments->0->>'has_changed')::boolean
    ORDER BY e.id DESC LIMIT 1) newest ON true
  WHERE a.account = $1 AND a.id = ANY($2) ORDER BY a.id, s.name`;

/** What suites say of the adapters whose gates they are. */
@Injectable()
export class SuiteOutcomesRepository {
  /** By adapter; adapters without such suites are absent. */
  async of(connection: EntityManager, account: AccountId, adapters: readonly AdapterId[]): Promise<ReadonlyMap<AdapterId, SuiteOutcome[]>> {
    const found = new Map<AdapterId, SuiteOutcome[]>();
    for (const { adapter, ...outcome } of await connection.query<Row[]>(OUTCOMES, [account, adapters])) {
      found.set(adapter, [...(found.get(adapter) ?? []), outcome]);
    }
    return found;
  }
}
