import { afterAll, beforeAll, expect, it } from 'vitest';
import { until } from '../../testing/until.js';
import { FakeTrainer } from '../../tuning/fake-trainer.js';
import { axeFaults } from '../console-browser.js';
import { DataSetsStage } from '../data-sets-stage.js';
import { choose, dialog } from '../screen.js';

const stage = DataSetsStage.around();
let trainer: FakeTrainer;

beforeAll(async () => {
  trainer = new FakeTrainer(await stage.page.world.keys.bus.connect('trainer'));
  trainer.facts = { features: ['import'] };
});
afterAll(() => trainer?.stop());

/** Chooses a file in the dialog, and sends it. */
async function send(name: string, bytes: Buffer, base?: string): Promise<void> {
  const { page } = stage.page;
  await page.goto(`/${stage.page.home}/fine-tuning?tab=adapters`);
  await page.getByRole('button', { name: 'Import adapter' }).click();
  await dialog(page).getByLabel('Choose a file').setInputFiles({ name, mimeType: 'application/octet-stream', buffer: bytes });
  if (base !== undefined) await choose(dialog(page).getByRole('combobox', { name: 'Base' }), base);
  await dialog(page).getByRole('button', { name: 'Import adapter' }).click();
}

it('imports an adapter that a training worker finds good', async () => {
  const { page } = stage.page;
  await stage.page.signIn();
  await send('support-v2-gguf.gguf', Buffer.from('GGUF and more'), 'tiny');
  await dialog(page).getByText('A training worker checks it').waitFor();
  expect(await axeFaults(page)).toEqual([]);
  await trainer.accept(await until('the worker is given it', () => trainer.imports()[0]));
  await page.getByRole('heading', { level: 1, name: 'support v1' }).waitFor();
  await page.getByText('The adapter was imported').waitFor();
  expect(await axeFaults(page)).toEqual([]);
}, 120_000);

it('says why a file is no adapter that can be taken', async () => {
  const { page } = stage.page;
  await stage.page.signIn();
  await send('adapter_model.bin', Buffer.concat([Buffer.from('PK\u0003\u0004'), Buffer.alloc(900)]), 'tiny');
  await dialog(page).getByRole('alert').getByText('pickled Python objects').waitFor();
  expect(await dialog(page).getByRole('alert').innerText()).toContain('safetensors');
  await dialog(page).getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('list', { name: 'Imports' }).getByText('adapter_model.bin was not imported: The file is a zip archive').waitFor();
}, 120_000);
