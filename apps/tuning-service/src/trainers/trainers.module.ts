import { Controller, Module } from '@nestjs/common';
import { ListTrainers, type TrainerHeartbeat, type TrainingWorkerView } from '@slipway/contracts';
import { fitting } from '@slipway/platform';
import { RpcHandler } from '@slipway/platform/service';
import type { z } from 'zod';
import { TrainerListener } from './trainer-listener.js';
import { TrainerTable } from './trainer-table.js';

const WORKERS = 100;

const view = ({ tw, host, slots, trainers, bases, disk_free, draining }: TrainerHeartbeat): TrainingWorkerView => ({
  ...{ tw, host, slots, trainers, disk_free, draining },
  bases: bases.map(({ base }) => base),
});

@Controller()
class TrainersHandlers {
  constructor(private readonly table: TrainerTable) {}

  @RpcHandler(ListTrainers)
  list(): z.input<typeof ListTrainers.reply> {
    const live = this.table.live();
    return { workers: [...fitting(live.slice(0, WORKERS).map(view))], total: live.length };
  }
}

/** Live training workers. */
@Module({
  controllers: [TrainersHandlers],
  providers: [TrainerListener, { provide: TrainerTable, useFactory: () => new TrainerTable(() => performance.now()) }],
  exports: [TrainerTable],
})
export class TrainersModule {}
