import type { JSX } from 'react';
import { Notice } from '../ui/notice.js';
import { twinOf } from './key-state.js';
import { useKeys } from './use-keys.js';

/** Warns that another key has this name. @param except the key that is renamed */
export function SameName({ name, except }: { readonly name: string; readonly except?: number }): JSX.Element | null {
  const twin = twinOf(useKeys().data ?? [], name, except);
  if (!twin) return null;
  return (
    <Notice look="warn">
      Another key has this name: <code>{twin.hint}…</code>. With two of them, commands that name a key need its number.
    </Notice>
  );
}
