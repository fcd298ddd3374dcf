import { SetLogLevel } from '@slipway/contracts';
import { RpcClient } from '@slipway/platform';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ENV } from '../../services/bus.js';
import { until as poll } from '../../testing/until.js';
import { anItem } from '../an-item.js';
import { type HostedAgent, WorkerRig } from '../rig.js';
import { until } from '../until.js';

let rig: WorkerRig;
let agent: HostedAgent;

beforeAll(async () => {
  rig = await new WorkerRig().open();
  agent = await rig.hostAgent();
});
afterAll(() => rig.close());

it('an engine’s log survives a crash, without prompts', async () => {
  rig.assign(agent, [anItem(1), anItem(2)]);
  const { pid } = await rig.ready(agent, 1);
  await rig.ready(agent, 2);
  await rig.ask(1, 'Say something about Xylophones').done;

  const texts = async (dep = 1) => (await rig.logOf(agent, dep)).map(({ text }) => text);
  const first = await texts();
  expect(first[0]).toBe('placement.assigned source=file');
  expect(first.some((text) => /llama_model_loader: .*key-value pairs/.test(text))).toBe(true);
  expect(first.some((text) => text.startsWith('llama.loaded model=svc-tiny.Q8_0.gguf context='))).toBe(true);
  expect(first.some((text) => text.startsWith('placement.ready'))).toBe(true);

  process.kill(pid!, 'SIGABRT');
  await until('it is served anew', () => {
    const load = rig.loadOf(agent, 1);
    return load?.state === 'ready' && load.pid !== pid;
  });
  const second = await texts();
  expect(second.slice(0, first.length)).toEqual(first);
  expect(second).toContainEqual(expect.stringContaining('The runner process ended by SIGABRT.'));
  expect(second.filter((text) => text.startsWith('placement.ready'))).toHaveLength(2);
  expect([...second, ...(await texts(2))].join('\n')).not.toMatch(/Xylophone/i);
  expect((await texts(2)).join('\n')).not.toContain('SIGABRT');

  const lines = await rig.logOf(agent, 1);
  expect(lines.map(({ at }) => at)).toEqual(lines.map(({ at }) => at).toSorted((a, b) => a - b));
  expect(await rig.logOf(agent, 1, 3)).toEqual(lines.slice(-3));
  expect(await rig.logOf(agent, 77)).toEqual([]);
});

it('the log of a removed deployment stays readable', async () => {
  rig.assign(agent, [anItem(3, { source: { kind: 'file', path: '/nowhere.gguf' } })]);
  await until('it has failed', () => rig.loadOf(agent, 3)?.state === 'failed');
  rig.assign(agent, []);
  await until('it is gone', () => rig.beatOf(agent)?.loads.length === 0);
  const lines = await rig.logOf(agent, 3);
  expect(lines.find(({ level }) => level === 'warn')?.text).toMatch(
    /^placement.failed reason=model_missing detail="There is no such model file/,
  );
  expect(lines.at(-1)?.text).toBe('placement.left');
});

it('runners follow the log level of their agent, without prompts', async () => {
  // Runners write to where their agent does.
  const own = await rig.startAgent({ LOG_LEVEL: 'error' });
  const isLogged = (event: string): boolean =>
    own
      .output()
      .split('\n')
      .some((line) => line.includes('"service":"inference-runner"') && line.includes(`"event":"${event}"`));
  rig.assign(own, [anItem(7)]);
  await rig.ready(own, 7);
  await rig.ask(7, 'Say something about Xylophones').done;

  const operator = new RpcClient(await rig.connect('ops'), ENV);
  await operator.call(SetLogLevel.worker, { level: 'debug', actor: { kind: 'ops' } }, { wk: own.wk });
  await poll('the runner that serves logs its streams', async () => {
    await rig.ask(7, 'Say something about Xylophones').done;
    return isLogged('stream');
  });
  expect(own.output()).not.toMatch(/Xylophone/i);
});
