import type { ChangedBy } from '@slipway/contracts';
import { useCallback } from 'react';
import { useMemberNames } from '../api/lists.js';
import { actorOf } from './activity-words.js';

/** Who made or changed something, by name. */
export function useActorNames(): (by: ChangedBy) => string {
  const nameOf = useMemberNames();
  return useCallback((by) => actorOf(by, nameOf), [nameOf]);
}
