import { Module } from '@nestjs/common';
import { KeysModule } from '../keys/keys.module.js';
import { PeopleModule } from './people.module.js';
import { PlaygroundAdmission } from './playground-admission.service.js';
import { PlaygroundKeysHandlers } from './playground-keys.handlers.js';
import { PlaygroundKeys } from './playground-keys.service.js';

@Module({ imports: [KeysModule, PeopleModule], controllers: [PlaygroundKeysHandlers], providers: [PlaygroundAdmission, PlaygroundKeys] })
export class PlaygroundModule {}
