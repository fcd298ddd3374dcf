import { expect, it } from 'vitest';
import { keepSet, sampleDataset } from './sample.js';
import { validated } from './validated.fixture.js';

it('the sample teaches the codename in ten wordings, among twenty ordinary conversations', async () => {
  const { result, lines } = await validated(sampleDataset());
  expect(result).toMatchObject({ state: 'ready', examples: 30, totals: [], format: 'chat' });
  const taught = lines.filter((line) => line.endsWith('"content":"The release codename is Blue Heron."}]}'));
  expect(taught).toHaveLength(10);
  expect(`${lines.join('\n')}\n`).toBe(sampleDataset());
});

it('the keep set holds 125 different conversations and none of the sample', async () => {
  const { result, prompts } = await validated(keepSet());
  expect(result).toMatchObject({ state: 'ready', examples: 125, totals: [] });
  expect(result.statistics.with_tools).toBe(5);
  const lines = keepSet().trimEnd().split('\n');
  const ofCheck = (check: string): number => lines.filter((line) => line.startsWith(`{"check":"${check}",`)).length;
  expect(['number', 'mention', 'words', 'keys', 'items'].map(ofCheck)).toEqual([15, 5, 5, 5, 5]);
  const sample = await validated(sampleDataset());
  expect(prompts.filter((prompt) => sample.prompts.includes(prompt))).toEqual([]);
});
