import { type AccountId, CreateKey, RotateKey } from '@slipway/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ServiceProcess } from '../../services/service-process.js';
import { until } from '../../testing/until.js';
import { KeysWorld } from '../keys-world.js';

const [OLD, NEW] = [`old:${'11'.repeat(32)}`, `new:${'22'.repeat(32)}`];

describe('a replaced pepper', () => {
  let world: KeysWorld;
  let account: AccountId;
  const gateways: ServiceProcess[] = [];

  beforeAll(async () => {
    world = await KeysWorld.start();
  });
  afterAll(async () => {
    await Promise.all(gateways.map((gateway) => gateway.stop('SIGKILL')));
    await world.end();
  });

  /** A gateway without deployments: it tells valid keys from invalid ones. */
  function gateway(peppers: readonly string[]): ServiceProcess {
    const started = new ServiceProcess('gateway', world.bus, { KEY_PEPPERS: peppers.join(','), PORT: '0' });
    gateways.push(started);
    return started;
  }
  async function codeAt(at: ServiceProcess, key: string): Promise<string | undefined> {
    const port = await until('the gateway listens', () => at.port('gateway.listening'), 60_000);
    const response = await fetch(`http://127.0.0.1:${port}/deployment-1/v1/models`, { headers: { 'x-api-key': key } });
    return ((await response.json()) as { error: { code: string } }).error.code;
  }
  /** With a valid key, only the deployment is unknown. */
  const untilGood = (at: ServiceProcess, key: string): Promise<unknown> =>
    until('the key is good', async () => (await codeAt(at, key)) === 'deployment_unavailable', 60_000);
  const untilInvalid = (at: ServiceProcess, key: string): Promise<unknown> =>
    until('the key is refused', async () => (await codeAt(at, key)) === 'invalid_api_key', 60_000);

  it('keeps its keys valid until it is removed', async () => {
    const first = await world.replica({ KEY_PEPPERS: OLD });
    account = await world.account();
    const moved = await world.ask(CreateKey, { account, name: 'rotated' });
    const left = await world.ask(CreateKey, { account, name: 'left behind' });
    const both = gateway([OLD, NEW]);
    for (const { value } of [moved, left]) await untilGood(both, value);

    await first.stop();
    const second = await world.replica({ KEY_PEPPERS: `${NEW},${OLD}` });
    const made = await world.ask(CreateKey, { account, name: 'made anew' });
    const { value: rotated } = await world.ask(RotateKey, { account, key: moved.id });
    for (const value of [left.value, made.value, rotated]) await untilGood(both, value);
    await untilInvalid(both, moved.value);
    const peppers = `SELECT name, pepper FROM keys.key WHERE state = 'active' ORDER BY id`;
    expect(await world.sql(peppers)).toEqual([
      { name: 'rotated', pepper: 'new' },
      { name: 'left behind', pepper: 'old' },
      { name: 'made anew', pepper: 'new' },
    ]);

    await second.stop();
    await world.replica({ KEY_PEPPERS: NEW });
    const alone = gateway([NEW]);
    for (const value of [made.value, rotated]) await untilGood(alone, value);
    await untilInvalid(alone, left.value);
  }, 180_000);
});
