import type { ConsoleReply } from '@slipway/contracts';
import { useCall } from '../api/use-call.js';

const FRESH_MS = 60_000;

/** What the account may deploy; null while it is not known. */
export const useOptions = (): ConsoleReply<'deployments/options'> | null =>
  useCall('deployments/options', {}, { staleMs: FRESH_MS }).data ?? null;
