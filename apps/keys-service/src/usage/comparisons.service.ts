import { Injectable } from '@nestjs/common';
import { type CompareDeployments, type DeploymentFigures, type DeploymentId, ERRORS, isErrorCode } from '@slipway/contracts';
import { Transactions } from '@slipway/database';
import type { z } from 'zod';
import { valueOfBucket } from './entry.js';
import { type BucketRow, type OutcomeRow, UsageQueriesRepository } from './queries.repository.js';

/** Errors of a gateway, which say nothing of the deployment. */
const OF_GATEWAYS: ReadonlySet<string> = new Set(['server_shutting_down', 'auth_unavailable']);

/** True for the status of a request that failed by a fault of a worker, an engine, or for want of room. */
const isServerFault = (status: string): boolean => isErrorCode(status) && ERRORS[status].status >= 500 && !OF_GATEWAYS.has(status);

const sum = (rows: readonly OutcomeRow[], column: 'requests' | 'cut', counts: (status: string) => boolean): number =>
  rows.reduce((total, row) => total + (counts(row.status) ? Number(row[column]) : 0), 0);

function histogramOf(rows: readonly BucketRow[], figure: BucketRow['figure']): [number, number][] {
  return rows.filter((row) => row.figure === figure).map(({ bucket, requests }) => [valueOfBucket(bucket), Number(requests)]);
}

/** Compares deployments by what the requests of an alias came to. */
@Injectable()
export class UsageComparisons {
  constructor(
    private readonly transactions: Transactions,
    private readonly queries: UsageQueriesRepository,
  ) {}

  async of(question: z.output<typeof CompareDeployments.request>): Promise<z.input<typeof CompareDeployments.reply>> {
    const asOf = new Date();
    const { outcomes, buckets } = await this.transactions.read((connection) => this.queries.sides(connection, question));
    const figuresOf = (deployment: DeploymentId): DeploymentFigures => {
      const ended = outcomes.filter((row) => row.deployment === deployment);
      const own = buckets.filter((row) => row.deployment === deployment);
      return {
        deployment,
        requests: sum(ended, 'requests', () => true),
        errors: sum(ended, 'requests', isServerFault),
        completed: sum(ended, 'requests', (status) => status === 'completed'),
        cut: Math.max(
          0,
          sum(ended, 'cut', () => true),
        ),
        first_token_ms: histogramOf(own, 'ttft_ms'),
        answer_tokens: histogramOf(own, 'answer_tokens'),
      };
    };
    return { figures: question.deployments.map(figuresOf), as_of: asOf.toISOString() };
  }
}
