import { Global, Module } from '@nestjs/common';
import { Leader } from './leader.js';

/** The elected replica. */
@Global()
@Module({ providers: [Leader], exports: [Leader] })
export class WorkModule {}
