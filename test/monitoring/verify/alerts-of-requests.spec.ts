import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type DeploymentId, deploymentSlug, Frames, GatewayHeartbeat, subjectOf, wildcardOf } from '@slipway/contracts';
import { chatStream, jsonAnswer } from '@slipway/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import { MODEL } from '../../cli/cli-rig.js';
import { ENV } from '../../services/bus.js';
import { until } from '../../testing/until.js';
import { open } from '../../usage/usage-rig.js';
import { type AlertStage, openAlertStage } from '../alert-stage.js';

let opened: AlertStage | string;
const stageOf = (context: TestContext): AlertStage => (typeof opened === 'string' ? context.skip(opened) : opened);

beforeAll(async () => {
  opened = await openAlertStage();
}, 300_000);
afterEach(async () => {
  if (typeof opened !== 'string') await opened.repair();
}, 120_000);
afterAll(async () => {
  if (typeof opened !== 'string') await opened?.end();
}, 60_000);

describe('the alert', () => {
  it('SlipwayInvalidKeys fires while somebody guesses keys', async (context) => {
    const stage = stageOf(context);
    await stage.isQuiet('SlipwayInvalidKeys');
    const url = `${stage.rig.addressOf(stage.gateway)}/${stage.tenant.slug}/demo/v1/models`;
    stage.keepOn(() =>
      Promise.all(Array.from({ length: 20 }, async () => (await fetch(url, { headers: { 'x-api-key': 'svc_dep_guessed' } })).text())),
    );
    await stage.fires('SlipwayInvalidKeys');
    expect(stage.lines('gateway', 'http.request').filter(({ error }) => error === 'invalid_api_key')).not.toEqual([]);
  });

  it('SlipwayRequestsWait fires while a deployment has too few slots', async (context) => {
    const stage = stageOf(context);
    const deployment = await stage.deployment({ slots: 1 });
    await stage.whenServed(deployment);
    await stage.isQuiet('SlipwayRequestsWait');
    const held = await stage.ask(deployment, 'hold 1', true);
    stage.repairs.push(() => held.body?.cancel());
    stage.keepOn(async () => (await stage.ask(deployment, 'complete 1')).text());
    await stage.fires('SlipwayRequestsWait', { deployment: String(deployment) });
    const slots = await stage.prometheus.query(`slipway_deployment_slots_used{deployment="${deployment}"} / slipway_deployment_slots`);
    expect(slots.map(({ value }) => value)).toEqual([1]);
  });

  it('SlipwayFirstTokenSlow fires where an engine begins late', async (context) => {
    const stage = stageOf(context);
    const deployment = await stage.deployment({ name: 'slow' });
    await stage.whenServed(deployment);
    await stage.isQuiet('SlipwayFirstTokenSlow');
    const usual = stage.rig.upstream.answer;
    stage.repairs.push(() => (stage.rig.upstream.answer = usual));
    stage.rig.upstream.answer = () => ({ steps: [{ pauseMs: 10_500 }, ...chatStream(['late']).steps] });
    for (let i = 0; i < 4; i += 1) stage.keepOn(async () => (await stage.ask(deployment, 'complete 1')).text());
    await stage.fires('SlipwayFirstTokenSlow', { deployment: String(deployment) }, 120_000);
    const line = await until('a line of the worker', () =>
      stage.lines('inference-worker', 'stream').find((one) => Number(one['prefill_ms']) > 10_000),
    );
    expect(line).toMatchObject({ deployment, queue_ms: expect.any(Number) as number, cached_tokens: 0 });
  });

  it('SlipwayErrors fires where an engine fails', async (context) => {
    const stage = stageOf(context);
    const deployment = await stage.deployment({ name: 'broken' });
    await stage.whenServed(deployment);
    await stage.isQuiet('SlipwayErrors');
    const usual = stage.rig.upstream.answer;
    stage.repairs.push(() => (stage.rig.upstream.answer = usual));
    stage.rig.upstream.answer = () => jsonAnswer(500, { error: { message: 'out of memory' } });
    stage.keepOn(async () => (await stage.ask(deployment, 'complete 1')).text());
    await stage.fires('SlipwayErrors');
    const line = await until('a line of the gateway', () =>
      stage.lines('gateway', 'http.request').find((one) => one['error'] === 'engine_error'),
    );
    expect(line).toMatchObject({ status: expect.any(Number) as number, deployment_id: deployment, worker: expect.any(String) as string });
    expect(Number(line['status'])).toBeGreaterThanOrEqual(500);
    expect(stage.lines('inference-worker', 'stream').map((one) => one['trace_id'])).toContain(line['trace_id']);
  });

  it('SlipwayProtocolViolated fires when a worker sends what none may', async (context) => {
    const stage = stageOf(context);
    const deployment = await stage.deployment({ name: 'forged' });
    await stage.whenServed(deployment);
    await stage.isQuiet('SlipwayProtocolViolated');
    const worker = await stage.rig.bus.connect('worker');
    const held = await stage.ask(deployment, 'hold 1', true);
    stage.repairs.push(() => held.body?.cancel());
    const st = held.headers.get('x-request-id')?.replace('req_', '') ?? '';
    const beats = worker.subscribe(wildcardOf(GatewayHeartbeat, { env: ENV }), { max: 1 });
    for await (const { subject } of beats) {
      const gw = subject.slice(subject.lastIndexOf('.') + 1);
      worker.publish(subjectOf(Frames, { env: ENV, gw, st, at: '1' }), '{');
    }
    await stage.fires('SlipwayProtocolViolated', { event: 'unreadable' });
    expect((await stage.prometheus.query('slipway_build_info')).map(({ metric }) => metric['protocol'])).toContain('1.0');
  });

  describe('of a model', () => {
    let deployment: DeploymentId;
    /** Its log may be written a moment after it answers. */
    const pidOfRunner = (stage: AlertStage): Promise<number> =>
      until('the runner is logged', () => {
        const lines = stage.process('inference-worker').output.split('\n');
        const line = lines.findLast((one) => one.includes('"event":"placement.ready"') && one.includes(`"deployment":${deployment},`));
        // The line names the agent's process first.
        const pid = [...(line ?? '').matchAll(/"pid":(\d+)/g)].at(-1)?.[1];
        return pid === undefined ? null : Number(pid);
      });

    it('SlipwayModelFails fires when its process dies', async (context) => {
      const stage = stageOf(context);
      const path = join(stage.models, 'own.gguf');
      await cp(MODEL, path);
      deployment = await stage.deployment({ name: 'own', source: { kind: 'file', path } });
      await stage.whenServed(deployment, 'hi');
      await stage.isQuiet('SlipwayModelFails');
      process.kill(await pidOfRunner(stage), 'SIGKILL');
      await stage.fires('SlipwayModelFails', { service: 'inference-worker' });
      expect(stage.process('inference-worker').output).toContain('"event":"placement.failed"');
      await stage.whenServed(deployment, 'hi');
    });

    it('SlipwayDeploymentWithoutReplica fires when its file is gone', async (context) => {
      const stage = stageOf(context);
      await stage.isQuiet('SlipwayDeploymentWithoutReplica');
      await rm(join(stage.models, 'own.gguf'));
      process.kill(await pidOfRunner(stage), 'SIGKILL');
      await stage.fires('SlipwayDeploymentWithoutReplica', { deployment: String(deployment) });
      const shown = await stage.slipway('deployments', 'show', deploymentSlug(deployment));
      expect(shown).toMatch(/failed|loading|degraded/);
      expect(await stage.slipway('deployments', 'log', deploymentSlug(deployment))).not.toBe('');
      await stage.slipway('deployments', 'stop', deploymentSlug(deployment));
      await stage.isQuiet('SlipwayDeploymentWithoutReplica');
    });
  });

  it('SlipwayWorkersLost fires when a worker freezes', async (context) => {
    const stage = stageOf(context);
    await stage.isQuiet('SlipwayWorkersLost');
    const { rest } = await open(stage.rig.addressOf(stage.gateway), stage.tenant, { tokens: 1, end: 'hold' }, 'chat');
    const worker = stage.process('inference-worker');
    worker.signal('SIGSTOP');
    stage.repairs.push(() => worker.signal('SIGCONT'));
    await stage.fires('SlipwayWorkersLost', { event: 'lostStreams' });
    expect(await rest).toContain('"error"');
    const line = await until('a line of the gateway', () =>
      stage.lines('gateway', 'http.request').find((one) => one['error'] === 'worker_lost'),
    );
    expect(line).toMatchObject({ worker: expect.any(String) as string });
  });

  it('SlipwayNoWorker fires when no worker is left', async (context) => {
    const stage = stageOf(context);
    await stage.isQuiet('SlipwayNoWorker');
    await stage.process('inference-worker').stop();
    await stage.fires('SlipwayNoWorker');
    expect(await stage.slipway('deployments', 'list')).toContain('a model');
    const worker = stage.rig.restart(stage.process('inference-worker'));
    await worker.ready();
    stage.scrape();
    await stage.isQuiet('SlipwayNoWorker');
  });
});
