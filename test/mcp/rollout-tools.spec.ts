import type { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ScriptedTuning } from '../adapters/scripted-tuning.js';
import { call, codeOf, ERAS, McpStage, type McpTenant } from './stage/mcp-stage.js';

let stage: McpStage;
let tenant: McpTenant;
let agent: Client;

beforeAll(async () => {
  stage = await McpStage.start();
  tenant = await stage.tenant();
  agent = await stage.client(tenant.mcp.value, ERAS[0]);
});
afterAll(() => stage?.end());

it('an agent moves an alias in steps, and back', async () => {
  const [one, two] = await Promise.all([stage.created(agent), stage.created(agent)]);
  await call(agent, 'set_alias', { alias: 'steps', slug: one });
  expect(codeOf(await call(agent, 'get_rollout', { alias: 'steps' }))).toBe('rollout_not_found');
  const started = await call(agent, 'start_rollout', { alias: 'steps', candidate: two, steps: [10, 60], by_hand: true });
  const shown = { alias: `${tenant.slug}/steps`, stable: one, candidate: two };
  expect(started.data).toMatchObject({ ...shown, state: 'running', candidate_percent: 10, step: 0, waits_for: 'person' });
  const refused = await call(agent, 'set_alias', { alias: 'steps', slug: two, replace: true });
  expect([codeOf(refused), refused.text]).toEqual(['rollout_in_progress', expect.stringContaining('Call get_rollout.')]);
  for (let times = 0; times < 2; times += 1) {
    expect((await call(agent, 'advance_rollout', { alias: 'steps', from_step: 0 })).data).toMatchObject({ candidate_percent: 60, step: 1 });
  }
  expect((await call(agent, 'get_rollout', { alias: 'steps' })).data['figures']).toMatchObject([
    { slug: one, requests: 0 },
    { slug: two, requests: 0 },
  ]);
  expect(codeOf(await call(agent, 'promote_rollout', { alias: 'steps', confirm_alias: 'other' }))).toBe('invalid_request');
  const promoted = await call(agent, 'promote_rollout', { alias: 'steps', confirm_alias: 'steps' });
  expect(promoted.data).toMatchObject({ state: 'promoted', candidate_percent: 100 });
  const back = await call(agent, 'roll_back', { alias: 'steps', confirm_alias: 'steps', reason: 'A test.' });
  expect(back.data).toMatchObject({ state: 'rolled_back', candidate_percent: 0, reason: 'A test.' });
  expect((await call(agent, 'get_deployment', { slug: `${tenant.slug}/steps` })).data).toMatchObject({ slug: one });
});

it('an agent has a candidate evaluated by a suite', async () => {
  const [one, two] = await Promise.all([stage.created(agent), stage.created(agent)]);
  await call(agent, 'set_alias', { alias: 'judged', slug: one });
  const tuning = await ScriptedTuning.start(await stage.rig.bus.connect('tuning'));
  try {
    tuning.suites.set(4, { done: 3 });
    const wrong = await call(agent, 'start_rollout', { alias: 'judged', candidate: two, suite: 'other' });
    expect([codeOf(wrong), wrong.text]).toEqual(['suite_not_found', expect.stringContaining('list_evaluation_suites')]);
    const started = await call(agent, 'start_rollout', { alias: 'judged', candidate: two, suite: 'support' });
    const suite = { state: 'running', evaluation: 4, done: 3, total: 20, figures: [] };
    expect(started.data).toMatchObject({ state: 'running', waits_for: 'suite', suite });
    expect(tuning.evaluated[0]).toMatchObject({ suite: 4, actor: { kind: 'key' } });
    await call(agent, 'roll_back', { alias: 'judged', confirm_alias: 'judged' });
  } finally {
    await tuning.stop();
  }
});
