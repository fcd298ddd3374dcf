import type { DeploymentView } from '@slipway/contracts';
import { expect, it } from 'vitest';
import { choicesOf } from './lane-view.js';

const id = (id: number): DeploymentView['id'] => id as DeploymentView['id'];

it('deployments are called by alias, and distinguished by slug', () => {
  const state = 'ready';
  const choices = choicesOf([
    { id: id(1), name: 'Demo', aliases: ['chat', 'fast'], state },
    { id: id(2), name: 'Demo', aliases: [], state: 'failed' },
    { id: id(3), name: 'Demo', aliases: [], state },
  ]);
  expect(choices.map(({ label }) => label)).toEqual(['chat', 'Demo (deployment-2)', 'Demo (deployment-3)']);
  expect(choices.map(({ hint }) => hint)).toEqual(['Demo · fast · deployment-1 · Ready', 'deployment-2 · Failed', 'deployment-3 · Ready']);
});
