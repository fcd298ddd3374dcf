import { ListKeys, QueryUsage, UsageStream } from '@slipway/contracts';
import { ensureWorkStream } from '@slipway/platform';
import { chatStream, startTestPostgres, type TestPostgres } from '@slipway/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ENV } from '../../services/bus.js';
import { ClientRig, type Tenant } from '../../services/client-rig.js';
import { until } from '../../testing/until.js';
import { type ChatBody, EvaluationsStage, lastOf, line } from '../evaluations-stage.js';
import { TuningRig } from '../rig.js';

let postgres: TestPostgres;
let served: ClientRig;
let rig: TuningRig;
let stage: EvaluationsStage;
let tenant: Tenant;

beforeAll(async () => {
  served = await ClientRig.start(['keys-service', 'deployments-service', 'inference-worker', 'gateway']);
  await ensureWorkStream(UsageStream, { nats: await served.bus.connect('boot'), env: ENV, timeoutMs: 20_000 });
  postgres = await startTestPostgres();
  rig = await TuningRig.open(postgres, served.bus);
  stage = EvaluationsStage.besides(rig);
  await rig.startReplica({ GATEWAY_URL: served.gateways[0] ?? '' });
  tenant = await served.tenant();
}, 180_000);
afterAll(async () => {
  await rig?.close();
  await served?.end();
  await postgres?.stop();
});

const SIX = Array.from({ length: 6 }, (_, n) => line(`Question ${n}`, `Answer ${n}`));

describe('an evaluation of deployments that serve', () => {
  it('asks engines through the gateway, and is booked as Evaluation', async () => {
    const { account } = tenant;
    let asked = 0;
    served.upstream.answer = ({ body }) => {
      const chat = body as ChatBody;
      asked += 1;
      if (chat.messages.some(({ role }) => role === 'system')) return chatStream(['{"winner":', '"first"}']);
      return chatStream([lastOf(chat).replace('Question', 'Answer')]);
    };
    const [base, judge] = [await served.deployment(account), await served.deployment(account)];
    for (const id of [base, judge]) await served.whenSeen(account, id, { state: 'ready' });
    const given = await stage.dataset(SIX, account);
    const suite = await stage.suite(given, [{ kind: 'exact' }, { kind: 'judge', deployment: judge, rubric: 'Which is right?' }]);
    const view = await stage.run(account, suite, [base, judge]);
    expect(view).toMatchObject({ state: 'succeeded', results: [{ graders: [{ passed: 6, of: 6 }] }, { graders: [{ passed: 6 }] }] });
    expect(view.results[1]?.preferences).toMatchObject([{ ties: 6, unread: 0 }]);
    expect(asked).toBe(12);
    const { keys, evaluation = [] } = await served.command(ListKeys, { account });
    expect([keys.map(({ name }) => name), evaluation.length]).toEqual([['a key'], 1]);
    const now = Date.now();
    const range = { from: new Date(now - 3_600_000).toISOString(), to: new Date(now + 60_000).toISOString() };
    await until('the calls are booked', async () => {
      const { rows } = await served.command(QueryUsage, { account, ...range, step: 'total', group_by: ['key'] });
      return rows.some(({ key, requests }) => key === evaluation[0] && requests === 12);
    });
  });

  it('gets a readable verdict of a judge through the gateway', async () => {
    const { account } = tenant;
    served.upstream.answer = ({ body }) => {
      const chat = body as ChatBody;
      if (chat.messages.some(({ role }) => role === 'system')) return chatStream(['{"winner":', '"first"}']);
      return chatStream([`${Math.random()}`]);
    };
    const [base, judge] = [await served.deployment(account), await served.deployment(account)];
    for (const id of [base, judge]) await served.whenSeen(account, id, { state: 'ready' });
    const given = await stage.dataset(SIX, account);
    const suite = await stage.suite(given, [{ kind: 'judge', deployment: judge, rubric: 'Which is right?' }]);
    const view = await stage.run(account, suite, [base, judge]);
    expect(view.results[1]?.preferences).toMatchObject([{ wins: 0, losses: 0, ties: 6, unread: 0 }]);
  });
});
