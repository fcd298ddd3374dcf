import type { DeploymentView } from '@slipway/contracts';
import { expect, it } from 'vitest';
import { doesText, replicasText, sizeText } from './show-commands.js';

it.each([
  [0, '0 B'],
  [1_023, '1023 B'],
  [1_024, '1.0 KiB'],
  [2_621_440, '2.5 MiB'],
  [5 * 2 ** 30, '5.0 GiB'],
  [3_000 * 2 ** 40, '3000.0 TiB'],
])('%i bytes are %s', (bytes, text) => {
  expect(sizeText(bytes)).toBe(text);
});

it.each([
  [['embed', 'dimensions:384'], 'embeddings of 384 numbers: /v1/embeddings'],
  [['tools', 'seed'], 'chat: /v1/chat/completions, /v1/messages, /v1/responses'],
  [[], ''],
])('what an engine with %j does is %j', (caps, text) => {
  expect(doesText(caps)).toBe(text);
});

it('replicas that follow the load are shown with their range', () => {
  const view = { ready_replicas: 2, replicas: 2 } as DeploymentView;
  expect(replicasText(view)).toBe('2 of 2 answer');
  expect(replicasText({ ...view, replica_range: { min: 1, max: 4, target_percent: 70 } })).toBe(
    '2 of 2 answer; 1 to 4 by the load, target 70 %',
  );
});
