import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { SetUserState } from '@slipway/contracts';
import { RpcHandler } from '@slipway/platform';
import type { z } from 'zod';
import { PeopleService } from './people.service.js';

@Controller()
export class PeopleHandlers {
  constructor(private readonly people: PeopleService) {}

  @RpcHandler(SetUserState)
  setState(@Payload() { email, state, actor }: z.output<typeof SetUserState.request>): Promise<z.input<typeof SetUserState.reply>> {
    return this.people.setState(email, state, actor);
  }
}
