import { type JSX, useSyncExternalStore } from 'react';
import { Notice } from '../ui/notice.js';

function subscribe(listener: () => void): () => void {
  window.addEventListener('online', listener);
  window.addEventListener('offline', listener);
  return () => {
    window.removeEventListener('online', listener);
    window.removeEventListener('offline', listener);
  };
}

/** Says that the machine has no network, before a question fails. */
export function OfflineNotice(): JSX.Element | null {
  const online = useSyncExternalStore(subscribe, () => navigator.onLine);
  if (online) return null;
  return (
    <div className="p-3">
      <Notice look="warn">You are offline. What you see may be out of date, and changes will fail.</Notice>
    </div>
  );
}
