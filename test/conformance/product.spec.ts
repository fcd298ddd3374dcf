import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CONTRACTS } from '../../conformance/src/case.js';
import { choose } from '../../conformance/src/conformance.js';
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

  it.each(CONTRACTS)(
    'of %s are all run against Slipway and pass',
    async (contract) => {
      const verdicts = await runCases(ground, choose([contract]), () => undefined);
      const open = verdicts.filter(({ outcome }) => outcome !== 'passed');
      expect(open, reportOf(open)).toEqual([]);
    },
    120_000,
  );
});
