import { setTimeout as delay } from 'node:timers/promises';
import { callSubjectOf, ListAliases } from '@slipway/contracts';
import { connectNats, createLogger, RpcClient } from '@slipway/platform';
import { TestNatsServer } from '@slipway/testing';
import { expect, it } from 'vitest';
import { PatientClient } from '../../apps/launcher/src/readiness.js';

const env = 'late';
const impatient = { ...ListAliases, timeoutMs: 100 };

it('a start takes an answer that comes too late for other callers', async () => {
  const server = await TestNatsServer.start();
  const log = createLogger('test', 'silent');
  const nats = await connectNats({ url: server.url, role: 'ops', name: 'launcher', log });
  const service = await connectNats({ url: server.url, role: 'deployments', name: 'service', log });
  try {
    let served = 0;
    service.subscribe(callSubjectOf(ListAliases, { env }, 'ops'), {
      callback: (_, message) => {
        served += 1;
        void delay(500).then(() => message.respond(JSON.stringify({ ok: true, data: { aliases: [] } })));
      },
    });
    await service.flush();
    await expect(new RpcClient(nats, env).call(impatient, { account: 1 })).rejects.toMatchObject({ reason: 'timeout' });
    expect(await new PatientClient(nats, env).call(impatient, { account: 1 })).toEqual({ aliases: [] });
    expect(served).toBe(2);
  } finally {
    await nats.close();
    await service.close();
    await server.end();
  }
});
