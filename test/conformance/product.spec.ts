import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CONTRACTS } from '../../conformance/src/case.js';
import { choose } from '../../conformance/src/cases.js';
import { reportOf } from '../../conformance/src/report.js';
import { type Ground, runCases } from '../../conformance/src/run-cases.js';
import { ProductGround } from './product-ground.js';

describe('the acceptance cases of the public contracts', () => {
  let product: ProductGround;
  let ground: Ground;

  beforeAll(async () => {
    product = await ProductGround.start();
    ground = await product.ground();
  });
  afterAll(() => product?.end());

  it.each(CONTRACTS)('of %s are met, but for those of long silence', async (contract) => {
    const fast = choose([contract]).filter(({ part }) => part.limitMs === undefined);
    const verdicts = await runCases(ground, fast);
    const open = verdicts.filter(({ outcome }) => outcome !== 'passed');
    expect(open, reportOf(open)).toEqual([]);
  });
});
