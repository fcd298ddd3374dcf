import { freePorts } from '@slipway/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { choose } from '../../conformance/src/cases.js';
import { Engine, MODELS } from '../../conformance/src/engine.js';
import { type Verdict, runCases } from '../../conformance/src/run-cases.js';
import { type PlainProxy, startPlainProxy } from './plain-proxy.js';

describe('the conformance tool at a proxy that only passes on', () => {
  let engine: Engine;
  let proxy: PlainProxy;
  let verdicts: readonly Verdict[];

  beforeAll(async () => {
    const [port = 0] = await freePorts(1);
    engine = await Engine.start({ port });
    proxy = await startPlainProxy(port);
    const target = { url: proxy.url, key: 'any', model: MODELS.main };
    const fast = choose(['chat']).filter(({ part }) => part.limitMs === undefined);
    verdicts = await runCases({ target, engine }, fast);
  });
  afterAll(async () => {
    await proxy?.end();
    await engine?.stop();
  });

  const numbered = (outcome: Verdict['outcome']): number[] => verdicts.filter((one) => one.outcome === outcome).map(({ number }) => number);

  it('sees what the engine lets through', () => {
    // Broken streams, lost calls, halves of characters, and refusals in the words of the engine.
    expect(numbered('failed')).toEqual(expect.arrayContaining([2, 16, 22, 36, 37, 44, 46, 48, 49, 52]));
  });

  it('sees what a good engine does by itself', () => {
    expect(numbered('passed')).toEqual(expect.arrayContaining([1, 10, 19, 25, 27, 41, 51, 55]));
  });
});
