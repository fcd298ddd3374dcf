import type { DeploymentFacts } from '@slipway/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GatewayRig, type RunningGateway, unknownKey, until } from './gateway-rig.js';

describe('keys at every gateway', () => {
  let rig: GatewayRig;
  let gateways: RunningGateway[];
  let account: { id: DeploymentFacts['account']; slug: string };
  let deployment: DeploymentFacts;

  beforeAll(async () => {
    rig = await GatewayRig.start();
    account = rig.account();
    deployment = rig.deployment(account.id);
    await rig.runner({ dep: deployment.id });
    gateways = [await rig.gateway(), await rig.gateway(), await rig.gateway({ config: { KEYS_ABSENT_GRACE_MS: '0' } })];
    const { value } = rig.key(account.id);
    for (const gateway of gateways) await rig.whenAnswering(gateway, deployment, value);
  });
  afterAll(() => rig?.end());

  const ask = async (gateway: RunningGateway, key: string): Promise<string> => {
    const response = await fetch(`${gateway.url}/deployment-${deployment.id}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: `deployment-${deployment.id}`, messages: [{ role: 'user', content: 'x' }] }),
    });
    const body = (await response.json()) as { error?: { code: string } };
    return body.error?.code ?? String(response.status);
  };
  const expectEverywhere = (key: string, answer: string, among = gateways): Promise<void> =>
    until(`all answer ${answer}`, async () =>
      (await Promise.all(among.map((gateway) => ask(gateway, key)))).every((code) => code === answer),
    );

  it('work as soon as they exist, under every pepper', async () => {
    await expectEverywhere(rig.key(account.id).value, '200');
    await expectEverywhere(rig.key(account.id, { pepper: 'old' }).value, '200');
  });

  it('are refused everywhere once they are revoked', async () => {
    const { id, value, record } = rig.key(account.id);
    await expectEverywhere(value, '200');
    rig.keys.put(`key:${id}`, { ...record, state: 'revoked' } as never);
    await expectEverywhere(value, 'invalid_api_key');
  });

  it('of one account open and reveal nothing of others', async () => {
    const stranger = rig.key(rig.account().id).value;
    await expectEverywhere(stranger, 'model_not_found');
  });

  it('limited to other deployments find none', async () => {
    await expectEverywhere(rig.key(account.id, { deployments: [999 as never] }).value, 'model_not_found');
  });

  it('stay valid without keys-service for the grace time', async () => {
    const { value } = rig.key(account.id);
    const patient = gateways.slice(0, 2);
    await expectEverywhere(value, '200');
    rig.keys.stop();
    try {
      await expectEverywhere(unknownKey('made meanwhile'), 'auth_unavailable');
      await expectEverywhere(value, '200', patient);
      await expectEverywhere(value, 'auth_unavailable', gateways.slice(2));
      await expectEverywhere('svc_dep_malformed', 'invalid_api_key');
    } finally {
      rig.keys.start();
    }
    await expectEverywhere(value, '200');
    await expectEverywhere(unknownKey('made meanwhile'), 'invalid_api_key');
  });

  it('are checked once proven again, after a standstill', async () => {
    const { value } = rig.key(account.id);
    await expectEverywhere(value, '200');
    rig.keys.delayMs = 200;
    try {
      // Longer than keys may be used without proof. Gateways ask for it and hear from it only after the request.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3_050);
      expect(await Promise.all(gateways.map((gateway) => ask(gateway, value)))).toEqual(gateways.map(() => '200'));
    } finally {
      rig.keys.delayMs = 0;
    }
  });

  it('get 503 while NATS is cut off, then work', async () => {
    const { value } = rig.key(account.id);
    await expectEverywhere(value, '200');
    await rig.server.kill();
    try {
      // A good key would be let in for as long as the last round trip counts, and its stream would wait for the server.
      await expectEverywhere(unknownKey('x'), 'auth_unavailable');
      expect(await Promise.all(gateways.map((gateway) => ask(gateway, value)))).toEqual(gateways.map(() => 'auth_unavailable'));
    } finally {
      await rig.server.restart();
    }
    await expectEverywhere(value, '200');
  });
});
