// A service that does nothing but connect to NATS, as its environment says.
import 'reflect-metadata';
import { defineService, natsFragment, serviceFragment } from '@slipway/platform';
import { runService } from '@slipway/platform/service';
import { z } from 'zod';

class Empty {}

await runService(
  defineService({
    name: 'tls-service',
    role: 'keys',
    config: z.object({ ...serviceFragment, ...natsFragment }),
    module: { module: Empty },
  }),
  process.env,
);
