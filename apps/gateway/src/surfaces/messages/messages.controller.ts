import { Controller, Post } from '@nestjs/common';
import { Accepts } from '../../http/accepts.decorator.js';
import { Call } from '../../http/call.decorator.js';
import type { InferenceCall } from '../../http/exchange.js';
import { InferenceService } from '../../inference/inference.service.js';
import { messagesCount } from './messages.count.js';
import { messagesSurface } from './messages.surface.js';

@Controller()
export class MessagesController {
  constructor(private readonly inference: InferenceService) {}

  @Post([':deployment/v1/messages', ':account/:alias/v1/messages'])
  @Accepts('deployment-key')
  create(@Call() call: InferenceCall): Promise<void> {
    return this.inference.answer(messagesSurface, call);
  }

  @Post([':deployment/v1/messages/count_tokens', ':account/:alias/v1/messages/count_tokens'])
  @Accepts('deployment-key')
  count(@Call() call: InferenceCall): Promise<void> {
    return this.inference.count(messagesCount, call);
  }
}
