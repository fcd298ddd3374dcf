import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { DeleteUser, SetUserState } from '@slipway/contracts';
import { RpcHandler } from '@slipway/platform';
import type { z } from 'zod';
import { PeopleDeletion } from './people-deletion.service.js';
import { PeopleService } from './people.service.js';

@Controller()
export class PeopleHandlers {
  constructor(
    private readonly people: PeopleService,
    private readonly deletion: PeopleDeletion,
  ) {}

  @RpcHandler(SetUserState)
  setState(@Payload() { email, state, actor }: z.output<typeof SetUserState.request>): Promise<z.input<typeof SetUserState.reply>> {
    return this.people.setState(email, state, actor);
  }

  @RpcHandler(DeleteUser)
  delete(@Payload() { email, actor }: z.output<typeof DeleteUser.request>): Promise<z.input<typeof DeleteUser.reply>> {
    return this.deletion.delete(email, actor);
  }
}
