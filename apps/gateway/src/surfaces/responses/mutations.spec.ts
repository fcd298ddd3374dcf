import { CanonicalRequest, isServiceError } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import type { ResolvedDeployment } from '../../deployments/deployment-resolver.service.js';
import { mutationsOf } from '../mutations.samples.js';
import { readResponsesRequest } from './request.js';
import { FULL } from './request.samples.js';

describe('a request of the responses contract with one odd value', () => {
  const deployment = { facts: { caps: [] as string[], context: 100 }, slug: 'm', isNamed: () => true } as unknown as ResolvedDeployment;

  it('is valid for workers or gets a named error', () => {
    let taken = 0;
    for (const body of mutationsOf(FULL)) {
      if (typeof body !== 'object' || body === null || Array.isArray(body)) continue;
      try {
        const { canonical, echo } = readResponsesRequest(body as Record<string, unknown>, deployment, { imageHosts: [] });
        if (!CanonicalRequest.safeParse(canonical).success) expect.unreachable(`no worker reads ${JSON.stringify(canonical)}`);
        JSON.parse(`{${echo}}`);
        taken += 1;
      } catch (error) {
        if (!isServiceError(error)) expect.unreachable(`${String(error)} for ${JSON.stringify(body)}`);
        else if (!error.param || /undefined|\[object/.test(error.message))
          expect.unreachable(`${error.message} for ${JSON.stringify(body)}`);
      }
    }
    expect(taken).toBeGreaterThan(100);
  });
});
