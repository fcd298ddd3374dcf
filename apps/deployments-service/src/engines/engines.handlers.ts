import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { TestEngine } from '@slipway/contracts';
import { RpcHandler } from '@slipway/platform';
import type { z } from 'zod';
import { EngineTestsService } from './engine-tests.service.js';

@Controller()
export class EnginesHandlers {
  constructor(private readonly tests: EngineTestsService) {}

  @RpcHandler(TestEngine)
  test(@Payload() request: z.output<typeof TestEngine.request>): Promise<z.input<typeof TestEngine.reply>> {
    return this.tests.test(request);
  }
}
