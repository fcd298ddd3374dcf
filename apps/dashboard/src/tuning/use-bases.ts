import type { ConsoleReply } from '@slipway/contracts';
import type { UseQueryResult } from '@tanstack/react-query';
import { useCall } from '../api/use-call.js';

/** Models that connected training workers have, and how many workers there are. */
export const useBases = (): UseQueryResult<ConsoleReply<'bases/list'>> => useCall('bases/list', {}, { every: () => 15_000 });
