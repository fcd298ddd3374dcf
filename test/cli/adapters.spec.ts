import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FindBlobDoor } from '@slipway/contracts';
import { RpcClient } from '@slipway/platform';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ENV } from '../services/bus.js';
import { tuningDatabase } from '../services/migrated.js';
import { ServiceInProcess } from '../services/service-in-process.js';
import { until } from '../testing/until.js';
import { FakeTrainer } from '../tuning/fake-trainer.js';
import { CliRig, ENGINE } from './cli-rig.js';

let rig: CliRig;
let folder: string;
let service: ServiceInProcess;
let trainer: FakeTrainer;

beforeAll(async () => {
  rig = await CliRig.start();
  folder = await mkdtemp(join(tmpdir(), 'slipway-cli-adapters-'));
  const settings = { TUNING_DATABASE_URL: await tuningDatabase(rig.postgres), BLOB_DIR: join(folder, 'blobs') };
  service = await new ServiceInProcess('tuning-service', rig.bus, settings).ready();
  trainer = new FakeTrainer(await rig.bus.connect('trainer'));
  trainer.facts = { features: ['import'] };
  // The console relays to this door, at the same paths.
  const { url } = await new RpcClient(await rig.bus.connect('console'), ENV).call(FindBlobDoor, {});
  const note = join(rig.dataDir, 'run/control.json');
  await writeFile(note, JSON.stringify({ ...(JSON.parse(await readFile(note, 'utf8')) as object), console_url: url }));
  await rig.json('accounts', 'create', 'local');
});
afterAll(async () => {
  trainer?.stop();
  await service?.end();
  await rig?.end();
  await rm(folder, { recursive: true, force: true });
});

async function file(name: string, bytes: Buffer): Promise<string> {
  await writeFile(join(folder, name), bytes);
  return join(folder, name);
}

const done = new Set<string>();

/** Accepts the next adapter that is imported. One that was accepted stays assigned until the next assignment arrives. */
async function accepted(): Promise<number | null> {
  const item = await until('an import', () => trainer.imports().find((one) => !done.has(one.import)));
  done.add(item.import);
  return trainer.accept(item);
}

it('imports an adapter, exports it, and imports the export', async () => {
  const gguf = await file('My LoRA.gguf', Buffer.from('GGUF and so on'));
  const base = await until('the base is known', async () => (await rig.run('jobs', 'bases')).stdout.includes('tiny') && 'tiny');
  const [made] = await Promise.all([rig.run('adapters', 'import', gguf, '--base', base, '--wait'), accepted()]);
  expect([made.code, made.stdout]).toEqual([0, 'Imported my-lora@1, an adapter of tiny.\n']);
  const tar = join(folder, 'my-lora-v1-gguf.tar');
  await rig.json('adapters', 'export', 'my-lora', '--out', tar);
  // What the worker stored is no GGUF in this test; the archive has a card that names the base.
  const [again] = await Promise.all([rig.json<{ adapter: object }>('adapters', 'import', tar, '--wait'), accepted()]);
  expect(again.adapter).toMatchObject({ name: 'my-lora', version: 2, base: 'tiny', base_state: 'there', job: null });
  expect((await rig.run('adapters', 'list')).stdout).toMatch(/my-lora@2.*\n.*my-lora@1/);
});

it('serves an adapter on an HTTP engine', async () => {
  const engine = ['--upstream', ENGINE, '--upstream-model', 'org/base'];
  const { slug } = await rig.json<{ slug: string }>('adapters', 'serve', 'my-lora', ...engine);
  const shown = await rig.json<{ deployment: object }>('deployments', 'show', slug);
  expect(shown.deployment).toMatchObject({
    source: { kind: 'http', url: ENGINE, model: 'org/base' },
    adapter: { name: 'my-lora', version: 2 },
  });
  expect((await rig.run('adapters', 'serve', 'my-lora', '--upstream', ENGINE)).stderr).toContain('--upstream-model');
});

it('says why an adapter was not imported', async () => {
  const pickle = await file('adapter_model.bin', Buffer.concat([Buffer.from([0x80, 2]), Buffer.alloc(600)]));
  const { code, stderr } = await rig.run('adapters', 'import', pickle, '--base', 'tiny', '--wait');
  expect([code, stderr]).toEqual([1, expect.stringContaining('pickled Python objects')]);
  const nameless = await rig.run('adapters', 'import', await file('a.gguf', Buffer.from('GGUF')), '--wait');
  expect([nameless.code, nameless.stderr]).toEqual([1, expect.stringContaining('name the base')]);
  const unknown = await rig.run('adapters', 'import', join(folder, 'a.gguf'), '--base', 'no-such-base');
  expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('no-such-base')]);
});
