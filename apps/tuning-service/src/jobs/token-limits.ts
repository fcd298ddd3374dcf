import { Injectable } from '@nestjs/common';
import type { AccountId, DatasetId, MeasureView } from '@slipway/contracts';
import type { Tx } from '@slipway/database';
import { VersionsRepository } from '../datasets/versions.repository.js';
import { QuotasService } from '../quotas/quotas.service.js';
import { TrainerTable } from '../trainers/trainer-table.js';
import { memoryOf } from './job-plans.js';
import { JOB_COLUMNS, type JobRow } from './job-rows.js';
import { JobsRepository } from './jobs.repository.js';
import { resolveSettings } from './resolve-settings.js';

/** Jobs that wait with a version under one template, which were planned before its tokens were counted. */
const WAITING = `SELECT ${JOB_COLUMNS} FROM job j WHERE j.account = $1 AND j.dataset_id = $2 AND j.version = $3
  AND j.state IN ('validating', 'queued') AND j.spec->>'base_sha256' = $4 AND j.spec->>'template_sha256' = $5 ORDER BY j.id FOR UPDATE OF j`;

/** Token counts that came, and what they are of. */
interface Counted {
  readonly account: AccountId;
  readonly dataset: DatasetId;
  readonly version: number;
  readonly base_sha256: string;
  readonly template_sha256: string;
}

interface Fault {
  readonly reason: 'quota_exceeded' | 'too_long' | 'dataset_invalid';
  readonly detail: string;
}

/** Holds waiting jobs to what their account and their base take, once their tokens are counted. */
@Injectable()
export class TokenLimits {
  constructor(
    private readonly quotas: QuotasService,
    private readonly versions: VersionsRepository,
    private readonly jobs: JobsRepository,
    private readonly table: TrainerTable,
  ) {}

  /** Ends the waiting jobs that these counts forbid. */
  async recheck(tx: Tx, counted: Counted, measure: MeasureView): Promise<void> {
    const { account, dataset, version, base_sha256, template_sha256 } = counted;
    const rows = await tx.query<JobRow[]>(WAITING, [account, dataset, version, base_sha256, template_sha256]);
    for (const row of rows) {
      const fault = await this.#faultOf(tx, row, measure);
      if (!fault) {
        await this.#countMemory(tx, row, measure);
        continue;
      }
      await this.jobs.change(tx, row.id, { state: 'failed', ...fault, finished_at: new Date() });
      const data = { code: fault.reason };
      await this.jobs.addEvent(tx, row.id, { level: 'error', code: 'failed', message: fault.detail, data });
    }
  }

  async #countMemory(tx: Tx, row: JobRow, { longest }: MeasureView): Promise<void> {
    const known = this.table.bases().get(row.base);
    const memory = known && memoryOf(known, row.trainer, { rank: row.spec.rank, longest });
    if (memory) await this.jobs.change(tx, row.id, { memory_bytes: memory });
  }

  async #faultOf(tx: Tx, row: JobRow, measure: MeasureView): Promise<Fault | null> {
    const version = await this.versions.find(tx, { dataset: row.dataset_id, version: row.version });
    if (!version) return null;
    const { learned, learnedTokens } = resolveSettings({
      ...{
        given: { ...row.given, held_out: row.spec.held_out },
        split: null,
        trainer: row.trainer,
        base: row.base_facts,
        kind: row.spec.method === 'dpo' ? 'preference' : 'sft',
      },
      ...{ examples: version.examples, duplicates: version.duplicates, bytes: version.bytes, measure, timeLimitS: row.spec.time_limit_s },
    });
    if (row.spec.too_long === 'refuse' && measure.over_context > 0) return tooLong(measure);
    if (learned === 0)
      return { reason: 'dataset_invalid', detail: `No example is left: all are longer than the ${measure.context} tokens of the base.` };
    const refusal = await this.quotas.tokenExcess(tx, row.account, learnedTokens);
    return refusal && { reason: 'quota_exceeded', detail: refusal.message };
  }
}

const tooLong = ({ over_context: count, context, exact }: MeasureView): Fault => ({
  reason: 'too_long',
  detail: `${exact ? '' : 'About '}${count} examples are longer than the ${context} tokens of the base. Shorten them, or leave them out.`,
});
