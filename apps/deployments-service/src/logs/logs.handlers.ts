import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { ReadLog } from '@slipway/contracts';
import { RpcHandler } from '@slipway/platform';
import type { z } from 'zod';
import { EngineLogService } from './engine-log.service.js';

@Controller()
export class LogsHandlers {
  constructor(private readonly logs: EngineLogService) {}

  @RpcHandler(ReadLog)
  read(@Payload() request: z.output<typeof ReadLog.request>): Promise<z.input<typeof ReadLog.reply>> {
    return this.logs.read(request);
  }
}
