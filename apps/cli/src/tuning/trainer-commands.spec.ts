import { expect, it } from 'vitest';
import type { Call, CliCommand } from '../command.js';
import type { Session } from '../session/session.js';
import { trainers } from './trainer-commands.js';

const list = trainers.commands.find((one) => one.name() === 'list') as CliCommand;

const TRAINER = { name: 'embedded', version: '0.53.0', architectures: ['qwen3'], methods: ['sft'], pause: true };
const WORKER = {
  ...{ tw: 'W1', host: 'trainer-1', bases: ['tiny'], disk_free: 2 ** 36, draining: false },
  slots: [{ id: 'cpu', device: 'cpu', bytes: 1, running: { job: 41, attempt: 1 } }],
  trainers: [{ ...TRAINER, installed: false, usable: true, detail: null }],
};

async function shown(workers: readonly object[]): Promise<string> {
  list.parse([], { from: 'user' });
  const action = list.plan({ cwd: '/', variable: () => undefined, terminal: {} as Call['terminal'] });
  const call = (): Promise<unknown> => Promise.resolve({ workers, total: workers.length });
  return (await action({ call } as unknown as Session))?.text ?? '';
}

it('a training worker is shown with what it does and has', async () => {
  const lines = (await shown([WORKER])).split('\n');
  expect(lines[1]).toMatch(/^W1 +trainer-1 +job 41 +1 +64\.0 GiB +embedded +0\.53\.0 +installed before its first job +qwen3 +tiny/);
});

it('a trainer that cannot train says what to run', async () => {
  const torch = { ...TRAINER, name: 'torch', installed: false, usable: false, detail: 'Set TORCH_PYTHON.' };
  expect(await shown([{ ...WORKER, slots: [], draining: true, trainers: [torch] }])).toMatch(
    /ends +0 .*torch +0\.53\.0 +Set TORCH_PYTHON\./,
  );
  expect(await shown([{ ...WORKER, trainers: [] }])).toMatch(/none/);
});

it('a fleet without training workers says how to start one', async () => {
  expect(await shown([])).toContain('No training worker is connected.');
});
