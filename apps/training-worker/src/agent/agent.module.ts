import { Module } from '@nestjs/common';
import { Incarnation } from '@slipway/contracts';
import { nuid } from '@slipway/platform';
import { TRAINER_ID } from './agent-tokens.js';
import { AgentService } from './agent.service.js';
import { BasesService } from './bases.service.js';
import { RunsService } from './runs.service.js';

/** The agent of one host that trains. */
@Module({
  providers: [{ provide: TRAINER_ID, useFactory: () => Incarnation.parse(nuid.next()) }, BasesService, RunsService, AgentService],
})
export class AgentModule {}
