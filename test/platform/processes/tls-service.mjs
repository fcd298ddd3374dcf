// A service that does nothing but connect to NATS, as its environment says; with LOGS_IN, only once it has a name.
import 'reflect-metadata';
import { defineService, natsFragment, serviceFragment } from '@slipway/platform';
import { runService } from '@slipway/platform/service';
import { once } from 'node:events';
import { z } from 'zod';

class Empty {}

/** Waits for its name for ever. */
const logIn = () => once(process, 'named');

await runService(
  defineService({
    name: 'tls-service',
    role: process.env.LOGS_IN ? logIn : 'keys',
    config: z.object({ ...serviceFragment, ...natsFragment }),
    module: { module: Empty },
  }),
  process.env,
);
