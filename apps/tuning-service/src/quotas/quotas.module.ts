import { Controller, Module } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { FindTuningQuotas, FindTuningUse, SetTuningQuotas, type TuningCounts } from '@slipway/contracts';
import { AccountTransactions, Transactions } from '@slipway/database';
import { CONFIG, configured } from '@slipway/platform';
import { RpcHandler } from '@slipway/platform/service';
import type { z } from 'zod';
import type { TuningServiceConfig } from '../config.js';
import { QuotasRepository } from './quotas.repository.js';
import { QUOTA_DEFAULTS, QuotasService } from './quotas.service.js';

@Controller()
class QuotasHandlers {
  constructor(private readonly quotas: QuotasService) {}

  @RpcHandler(FindTuningUse)
  use(@Payload() request: z.output<typeof FindTuningUse.request>): Promise<z.input<typeof FindTuningUse.reply>> {
    return this.quotas.use(request);
  }

  @RpcHandler(FindTuningQuotas)
  find(@Payload() request: z.output<typeof FindTuningQuotas.request>): Promise<z.input<typeof FindTuningQuotas.reply>> {
    return this.quotas.find(request);
  }

  @RpcHandler(SetTuningQuotas)
  set(@Payload() request: z.output<typeof SetTuningQuotas.request>): Promise<z.input<typeof SetTuningQuotas.reply>> {
    return this.quotas.set(request);
  }
}

const defaultsOf = (config: TuningServiceConfig): TuningCounts => ({
  datasets: config.QUOTA_DATASETS,
  versions: config.QUOTA_DATASET_VERSIONS,
  bytes: config.QUOTA_DATASET_BYTES,
  file_bytes: config.QUOTA_FILE_BYTES,
  examples: config.QUOTA_EXAMPLES,
  uploads: config.QUOTA_UPLOADS,
  running_jobs: config.QUOTA_RUNNING_JOBS,
  queued_jobs: config.QUOTA_QUEUED_JOBS,
  job_tokens: config.QUOTA_JOB_TOKENS,
  month_tokens: config.QUOTA_MONTH_TOKENS,
  adapters: config.QUOTA_ADAPTERS,
});

/** Quotas of accounts, and the bounds on their database work. */
@Module({
  controllers: [QuotasHandlers],
  providers: [
    QuotasRepository,
    QuotasService,
    configured(QUOTA_DEFAULTS, defaultsOf),
    {
      provide: AccountTransactions,
      useFactory: (transactions: Transactions, { TUNING_CHANGES_PER_MINUTE: changesPerMinute }: TuningServiceConfig) =>
        new AccountTransactions({ transactions, changesPerMinute, what: 'data sets, jobs and adapters' }),
      inject: [Transactions, CONFIG],
    },
  ],
  exports: [AccountTransactions, QuotasService],
})
export class QuotasModule {}
