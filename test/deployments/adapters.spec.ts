import { DeleteDeployment, FindDeployment, FitDeployment, isServiceError, StopDeployment, UpdateDeployment } from '@slipway/contracts';
import { afterEach, describe, expect } from 'vitest';
import { ScriptedTuning, sha256Of } from '../adapters/scripted-tuning.js';
import { until } from '../testing/until.js';
import { anAccount, type DeploymentsRig, ENGINE_HOST, MODEL } from './rig.js';
import { rigTest as it } from './rig-test.js';

const hash = (digit: string): string => digit.repeat(64);
const facts = { base_path: MODEL, base_sha256: hash('b'), template_sha256: hash('c'), tokenizer_sha256: hash('d') };
const answer = { prompt: [1, 2], answer: [3, 4], adapter: [-0.123_456_7, -2], base: [-1, -3] };
const witness = { answers: [answer], distance: 1 };
const NEW = { features: ['adapter'] };

let tuning: ScriptedTuning | undefined;
afterEach(async () => {
  await tuning?.stop();
  tuning = undefined;
});

/** Adapters 1 and 2 of the account; the second has a bad verdict. */
async function withAdapters(rig: DeploymentsRig, account: number): Promise<ScriptedTuning> {
  tuning = await ScriptedTuning.start(await rig.connection('tuning'));
  for (const id of [1, 2]) {
    const content = Buffer.from(`adapter ${id}`);
    tuning.add({ ...facts, id, account, content, name: 'support', version: id, witness, ...(id === 2 && { failedGate: true }) });
  }
  return tuning;
}

const code = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'done',
    (error: unknown) => (isServiceError(error) ? error.code : String(error)),
  );
/** A request for the adapter alone: it brings its source. */
const adapterOf = (id: number, more: object = {}) => ({ source: undefined, adapter: { id, ...more } });

describe('a deployment of an adapter', () => {
  it('is assigned with its base and witness', async ({ rig }) => {
    const account = anAccount();
    const { adapters } = await withAdapters(rig, account);
    await rig.startReplica();
    const agent = rig.startAgent({ facts: NEW });
    const id = await rig.create(account, adapterOf(1));
    await rig.published(id, 'ready');
    const shown = { id: 1, name: 'support', version: 1, sha256: sha256Of(adapters.get(1)!.content) };
    const { base_path: _, ...hashes } = facts;
    expect(agent.items[0]).toMatchObject({
      source: { kind: 'file', path: MODEL },
      adapter: { ...shown, ...hashes, bytes: 9, witness: [{ prompt: [1, 2], answer: [3, 4], logprobs: [-0.123_46, -2] }] },
    });
    expect((await rig.view(account, id)).adapter).toEqual(shown);
    expect((await rig.ask(FindDeployment, { account, deployment: id })).revisions[0]?.adapter).toEqual(shown);
  });

  it('never goes to a worker without the feature', async ({ rig }) => {
    const account = anAccount();
    await withAdapters(rig, account);
    await rig.startReplica();
    const old = [rig.startAgent(), rig.startAgent({ old: true }), rig.startAgent({ facts: { features: ['other'] } })];
    const id = await rig.create(account, adapterOf(1));
    expect((await rig.seen(account, id, 'pending', 'no_worker')).detail).toBe(
      'No connected worker loads adapters: the workers are older than deployments-service.',
    );
    const bare = await rig.create(account);
    await rig.published(bare, 'ready');
    const agent = rig.startAgent({ facts: NEW });
    await rig.published(id, 'ready');
    expect(agent.runs(id)).toBe(true);
    expect(old.flatMap(({ assignments }) => assignments.flatMap(({ items }) => items)).filter(({ dep }) => dep === id)).toEqual([]);
  });

  it('fits where base and adapter have room, on workers that load adapters', async ({ rig }) => {
    const account = anAccount();
    const { adapters } = await withAdapters(rig, account);
    adapters.set(1, { ...adapters.get(1)!, content: Buffer.alloc(1_000) });
    await rig.startReplica();
    const bare = await rig.ask(FitDeployment, { account, source: { kind: 'file', path: MODEL }, context: 1_024, slots: 1 });
    const needed = bare.memory_needed! + 1_000;
    rig.startAgent({ facts: { ...NEW, host: 'a-new', mem_free: needed } });
    rig.startAgent({ facts: { ...NEW, host: 'b-short', mem_free: needed - 1 } });
    rig.startAgent({ facts: { host: 'c-old', mem_free: 2 * needed } });
    const fit = await until('all workers are known', async () => {
      const found = await rig.ask(FitDeployment, { account, adapter: 1, context: 1_024, slots: 1 });
      return found.workers.length === 3 && found;
    });
    expect(fit).toMatchObject({ memory_needed: needed, placeable: 1, model_bytes: bare.model_bytes });
    expect(fit.workers.map(({ host, fits, detail }) => [host, fits, detail])).toEqual([
      ['a-new', true, null],
      ['b-short', false, expect.stringContaining('GiB of memory')],
      ['c-old', false, 'This worker loads no adapters: it is older than deployments-service.'],
    ]);
    const ask = (request: object) => code(rig.ask(FitDeployment, { account, ...request }));
    expect(await ask({ adapter: 9 })).toBe('adapter_not_found');
    expect(await ask({})).toBe('invalid_request');
    expect(await ask({ adapter: 1, source: { kind: 'file', path: MODEL } })).toBe('invalid_request');
  });

  it('gets the next version of the adapter as a revision', async ({ rig }) => {
    const account = anAccount();
    const { overrides } = await withAdapters(rig, account);
    await rig.startReplica();
    const agent = rig.startAgent({ facts: NEW });
    const deployment = await rig.create(account, adapterOf(1));
    const update = (changes: object) => rig.ask(UpdateDeployment, { account, deployment, ...changes });
    expect(await update({ adapter: { id: 1 } })).toMatchObject({ rev: 1, changed: false });
    expect(await code(update({ adapter: { id: 2 } }))).toBe('gate_not_passed');
    expect(await update({ adapter: { id: 2, override: 'It is for a test.' } })).toMatchObject({ rev: 2, changed: true });
    expect(await code(update({ adapter: { id: 9 } }))).toBe('adapter_not_found');
    expect(await update({ base: 1 })).toMatchObject({ rev: 3, changed: true });
    expect(overrides).toEqual(['It is for a test.', 'Revision 1 is served again.']);
    expect(await code(update({ source: { kind: 'http', url: 'http://engine.test:8000/v1', model: 'm' } }))).toBe('invalid_request');
    expect(await code(update({ source: { kind: 'file', path: MODEL }, adapter: { id: 1 } }))).toBe('invalid_request');
    expect(await update({ source: { kind: 'file', path: MODEL }, slots: 2 })).toMatchObject({ rev: 4 });
    expect(await update({ adapter: null })).toMatchObject({ rev: 5, changed: true });
    await until('the bare base is assigned', () => agent.items.some(({ rev, adapter }) => rev === 5 && adapter === undefined));
    expect(await rig.view(account, deployment)).toMatchObject({ adapter: null, source: { kind: 'file', path: MODEL } });
  });

  it('needs one model, and only files may be bases', async ({ rig }) => {
    const account = anAccount();
    const { adapters } = await withAdapters(rig, account);
    adapters.set(3, { ...adapters.get(1)!, id: 3, base_path: '/etc/passwd' });
    await rig.startReplica();
    expect(await code(rig.create(account, { source: undefined }))).toBe('invalid_request');
    expect(await code(rig.create(account, { adapter: { id: 1 } }))).toBe('invalid_request');
    expect(await code(rig.create(account, adapterOf(3)))).toBe('source_not_allowed');
    expect(await code(rig.create(anAccount(), adapterOf(1)))).toBe('adapter_not_found');
  });
});

describe('a deployment of an adapter on an HTTP engine', () => {
  const ENGINE = { kind: 'http', url: `http://${ENGINE_HOST}/v1`, model: 'org/base' } as const;
  const onEngine = (id: number) => ({ source: ENGINE, adapter: { id } });
  const SHARES = { features: ['adapter', 'adapter-export'] };

  it('goes only to workers that share a folder with engines', async ({ rig }) => {
    const account = anAccount();
    await withAdapters(rig, account);
    await rig.startReplica();
    const others = [rig.startAgent(), rig.startAgent({ facts: NEW }), rig.startAgent({ old: true })];
    const id = await rig.create(account, onEngine(1));
    expect((await rig.seen(account, id, 'pending', 'no_worker')).detail).toContain('ADAPTER_EXPORT_DIR');
    const agent = rig.startAgent({ facts: SHARES });
    await rig.published(id, 'ready');
    expect(agent.items[0]).toMatchObject({ source: ENGINE, adapter: { id: 1 } });
    expect(others.flatMap(({ assignments }) => assignments.flatMap(({ items }) => items))).toEqual([]);
    expect(await rig.view(account, id)).toMatchObject({ source: ENGINE, adapter: { id: 1, name: 'support', version: 1 } });
  });

  it('stays on its engine with the next version', async ({ rig }) => {
    const account = anAccount();
    const { adapters } = await withAdapters(rig, account);
    adapters.set(3, { ...adapters.get(1)!, id: 3, version: 3, content: Buffer.from('adapter 3') });
    await rig.startReplica();
    rig.startAgent({ facts: SHARES });
    const deployment = await rig.create(account, { ...onEngine(1), credential: 'sk-engine' });
    const update = (changes: object) => rig.ask(UpdateDeployment, { account, deployment, ...changes });
    expect(await update({ adapter: { id: 3 } })).toMatchObject({ rev: 2, changed: true });
    expect(await rig.view(account, deployment)).toMatchObject({ source: ENGINE, adapter: { id: 3 } });
    const moved = { ...ENGINE, model: 'org/base-copy' };
    expect(await update({ source: moved })).toMatchObject({ rev: 3, changed: true });
    expect(await rig.view(account, deployment)).toMatchObject({ source: moved, adapter: { id: 3 } });
    expect(await code(update({ source: { kind: 'file', path: MODEL } }))).toBe('invalid_request');
    expect(await code(update({ source: { ...ENGINE, url: 'http://other.test/v1' }, adapter: { id: 1 } }))).toBe('source_not_allowed');
    expect(await update({ adapter: null })).toMatchObject({ rev: 4, changed: true });
  });
});

describe('tuning-service', () => {
  it('is told which deployments name an adapter', async ({ rig }) => {
    const account = anAccount();
    const { uses } = await withAdapters(rig, account);
    await rig.startReplica();
    rig.startAgent({ facts: NEW });
    const reported = (adapter: number, deployments: number[]) =>
      until(`adapter ${adapter} is used by ${deployments.join()}`, () => {
        const last = uses.findLast((use) => use.adapter === adapter);
        return last?.account === account && last.deployments.join() === deployments.join();
      });
    const [one, two] = [await rig.create(account, adapterOf(1)), await rig.create(account, adapterOf(1))];
    await reported(1, [one, two]);
    await rig.published(one, 'ready');
    await rig.ask(UpdateDeployment, { account, deployment: one, adapter: { id: 2, override: 'yes' } });
    await reported(2, [one]);
    await rig.ask(StopDeployment, { account, deployment: two });
    await rig.seen(account, two, 'stopped');
    await rig.ask(DeleteDeployment, { account, deployment: two });
    await until('revision 2 serves', async () => (await rig.view(account, one)).serving_rev === 2);
    await rig.ask(UpdateDeployment, { account, deployment: one, slots: 3 });
    await reported(1, []);
    await reported(2, [one]);
  });

  it('is not needed by deployments that run', async ({ rig }) => {
    const account = anAccount();
    const script = await withAdapters(rig, account);
    await rig.startReplica();
    const agent = rig.startAgent({ facts: NEW });
    const id = await rig.create(account, adapterOf(1));
    await rig.published(id, 'ready');
    await script.pause();
    expect(await code(rig.rpc.call(UpdateDeployment, { account, deployment: id, adapter: { id: 2 } }))).toBe('unavailable');
    expect(await rig.view(account, id)).toMatchObject({ state: 'ready', rev: 1 });
    // Its adapter is known: neither other settings nor another agent need the service.
    await rig.ask(UpdateDeployment, { account, deployment: id, slots: 2 });
    await until('revision 2 serves', async () => (await rig.view(account, id)).serving_rev === 2);
    agent.stop();
    const second = rig.startAgent({ facts: NEW });
    await until('the other agent runs it', () => second.items.some(({ adapter }) => adapter?.id === 1));
  });
});
