import type { JSX } from 'react';
import { useEveryKey } from '../api/lists.js';
import { Notice } from '../ui/notice.js';
import { twinOf } from './key-state.js';

/** Warns that another key has this name. @param except the key that is renamed */
export function SameName({ name, except }: { readonly name: string; readonly except?: number }): JSX.Element | null {
  const twin = twinOf(useEveryKey().data ?? [], name, except);
  if (!twin) return null;
  return (
    <Notice look="warn">
      The key <code>{twin.hint}…</code> has this name too. Commands that name a key will need its number.
    </Notice>
  );
}
