import { type DeploymentFacts, isServiceError } from '@slipway/contracts';
import { expect, it } from 'vitest';
import type { ResolvedDeployment } from '../../deployments/deployment-resolver.service.js';
import { mutationsOf } from '../mutations.samples.js';
import { readCountRequest, readMessagesRequest } from './request.js';
import { FULL } from './request.samples.js';

const POLICY = { imageHosts: [] };
const outcomeOf = (work: () => unknown): string => {
  try {
    work();
    return 'understood';
  } catch (error) {
    return isServiceError(error) && error.message.startsWith(`${error.param}: `)
      ? 'refused'
      : String(error instanceof Error ? error.stack : error);
  }
};

it.each([[[]], [['seed']]])('a mutated messages request gets a named error (%j)', (caps: string[]) => {
  const facts = { context: 4096, caps } as unknown as DeploymentFacts;
  const deployment: ResolvedDeployment = { facts, slug: 'deployment-1', alias: undefined, isNamed: () => true };
  const outcomes = new Set<string>();
  for (const mutation of mutationsOf(FULL)) {
    if (typeof mutation !== 'object' || mutation === null || Array.isArray(mutation)) continue;
    const body = mutation as Record<string, unknown>;
    outcomes.add(outcomeOf(() => readMessagesRequest(body, deployment, POLICY)));
    outcomes.add(outcomeOf(() => readCountRequest(body, deployment, POLICY)));
  }
  expect([...outcomes].filter((outcome) => outcome !== 'understood')).toEqual(['refused']);
});
