import type { Contract } from './channel.js';
import * as deployments from './deployments/index.js';
import type { FeedContract } from './feed.js';
import * as identity from './identity/index.js';
import * as inference from './inference/index.js';
import * as keys from './keys/index.js';
import * as releases from './releases/index.js';
import { isRecord } from './schemas.js';
import * as tuning from './tuning/index.js';
import * as usage from './usage/index.js';

const isContract = (value: unknown): value is Contract => isRecord(value) && 'subject' in value && 'kind' in value;
const isFeed = (value: unknown): value is FeedContract => isRecord(value) && 'change' in value && isContract(value.change);

const isByRole = (value: unknown): value is Readonly<Record<string, Contract>> =>
  isRecord(value) && !isFeed(value) && Object.values(value).length > 0 && Object.values(value).every(isContract);

/** The contracts in an exported value: the value itself, the four of a feed, those of all roles, or none. */
function contractsIn(value: unknown): readonly Contract[] {
  if (isContract(value)) return [value];
  if (isByRole(value)) return Object.values(value);
  return isFeed(value) ? [value.change, value.tick, value.since, value.snapshot] : [];
}

/**
 * Every contract between processes, collected from the exports of the areas. A contract that no area's `index.ts` exports has
 * no permissions, so NATS refuses it.
 */
export const CONTRACTS: readonly Contract[] = [identity, keys, usage, deployments, inference, tuning, releases]
  .flatMap((area) => Object.values(area as Readonly<Record<string, unknown>>))
  .flatMap(contractsIn);
