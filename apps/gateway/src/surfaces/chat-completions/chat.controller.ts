import { Controller, Post } from '@nestjs/common';
import { Accepts } from '../../http/accepts.decorator.js';
import { Call } from '../../http/call.decorator.js';
import type { InferenceCall } from '../../http/exchange.js';
import { InferenceService } from '../../inference/inference.service.js';
import { chatSurface } from './chat.surface.js';

@Controller()
export class ChatController {
  constructor(private readonly inference: InferenceService) {}

  @Post([':deployment/v1/chat/completions', ':account/:alias/v1/chat/completions'])
  @Accepts('deployment-key')
  complete(@Call() call: InferenceCall): Promise<void> {
    return this.inference.answer(chatSurface, call);
  }
}
