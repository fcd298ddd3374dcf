import { Global, Module } from '@nestjs/common';
import { Leader } from './leader.js';
import { TuningMetrics } from './tuning-metrics.js';

/** The elected replica, and figures. */
@Global()
@Module({ providers: [Leader, TuningMetrics], exports: [Leader, TuningMetrics] })
export class WorkModule {}
