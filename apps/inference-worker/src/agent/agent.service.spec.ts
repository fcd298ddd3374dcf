import { AgentHeartbeat, type AgentLoad, type DeploymentId, type Incarnation } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { heartbeatTexts } from './agent.service.js';

const aLoad = (dep: number): AgentLoad => ({
  dep: dep as DeploymentId,
  rev: 1,
  state: 'failed',
  progress: null,
  reason: 'engine_unreachable',
  detail: '{"ü": "The engine does not answer."}'.repeat(4),
  pid: 4_711,
  context: null,
  caps: ['tools', 'seed'],
});

const aBeat = (loads: number, cached: number): AgentHeartbeat => ({
  wk: 'agent-1' as Incarnation,
  host: 'node-"1"',
  zone: null,
  mem_free: 1,
  cpu: 2,
  gpus: 0,
  engines: ['http'],
  draining: false,
  assigned: { term: 1, no: 2 },
  cached: Array.from({ length: cached }, (_, n) => `https://models.test/{${n}}.gguf`),
  loads: Array.from({ length: loads }, (_, n) => aLoad(n + 1)),
});

const read = (text: string): AgentHeartbeat => AgentHeartbeat.message.parse(JSON.parse(text));

describe('a heartbeat', () => {
  it('of moderate size is one message that older services read', () => {
    const texts = heartbeatTexts(aBeat(3, 2), 7, 1_000_000);
    expect(texts.map(read)).toEqual([aBeat(3, 2)]);
    expect(heartbeatTexts(aBeat(0, 0), 8, 1_000_000).map(read)).toEqual([aBeat(0, 0)]);
  });

  it.each([1_000_000, 60_000, 8_000])('of 8,000 entries is complete in messages of %d bytes at most', (bytesMax) => {
    const texts = heartbeatTexts(aBeat(4_000, 4_000), 7, bytesMax);
    for (const text of texts) expect(Buffer.byteLength(text)).toBeLessThanOrEqual(bytesMax);
    const parts = texts.map(read);
    expect(parts.map(({ part }) => part)).toEqual(parts.map((_, i) => ({ no: 7, i, of: parts.length })));
    expect(parts.flatMap(({ loads }) => loads)).toEqual(aBeat(4_000, 4_000).loads);
    expect(parts.flatMap(({ cached }) => cached)).toEqual(aBeat(4_000, 4_000).cached);
  });
});
