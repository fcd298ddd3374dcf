import { Module } from '@nestjs/common';
import { TrainerListener } from './trainer-listener.js';
import { TrainerTable } from './trainer-table.js';

/** Live training workers. */
@Module({
  providers: [TrainerListener, { provide: TrainerTable, useFactory: () => new TrainerTable(() => performance.now()) }],
  exports: [TrainerTable],
})
export class TrainersModule {}
