import { useSyncExternalStore } from 'react';
import { session, type SessionState, type WorkingAccount } from './session.js';

export const useSession = (): SessionState => useSyncExternalStore(session.subscribe, () => session.state);

/** The account in which somebody works; behind the sign-in only. */
export function useAccount(): WorkingAccount {
  const state = useSession();
  return state.kind === 'in' ? state.account : { id: 0, slug: '', role: 'viewer' };
}

/** Whether who is signed in may change things. */
export const useMayChange = (): boolean => useAccount().role !== 'viewer';
