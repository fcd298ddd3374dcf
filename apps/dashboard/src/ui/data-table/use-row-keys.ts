import { type RefObject, useEffect, useState } from 'react';

export interface RowKeysOptions {
  readonly root: RefObject<HTMLElement | null>;
  readonly search: RefObject<HTMLInputElement | null>;
  /** Rows on the page. */
  readonly rows: number;
}

/** Where letters are typed or keys mean something else. */
const TAKEN =
  'input:not([type="checkbox"]), textarea, select, [contenteditable], [role="menu"], [role="dialog"], [role="listbox"], [role="combobox"]';
const STEPS: Readonly<Record<string, number>> = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 };

const rowOf = (target: EventTarget | null): number | null => {
  const row = target instanceof Element ? target.closest<HTMLElement>('[data-row]') : null;
  return row ? Number(row.dataset['row']) : null;
};

/** Whether a key pressed there is meant for this table: it is in it, or in none and this is the first one of the page. */
function isMine(root: HTMLElement, target: EventTarget | null): boolean {
  const inside = target instanceof Element ? target.closest('[data-table]') : null;
  return (inside ?? document.querySelector('[data-table]')) === root;
}

/** Whether a key is free for the rows: nobody acted on it, and it types nothing. */
const isFree = ({ defaultPrevented, ctrlKey, metaKey, altKey, target }: KeyboardEvent): boolean =>
  !(defaultPrevented || ctrlKey || metaKey || altKey) && !(target instanceof Element && target.closest(TAKEN) !== null);

/** The row to which a key leads; null where it leads to none. */
function leadsTo({ key, target }: KeyboardEvent, rows: number): number | null {
  const [step, at] = [STEPS[key], rowOf(target)];
  if (step === undefined || rows === 0 || (key.startsWith('Arrow') && at === null)) return null;
  return at === null ? 0 : Math.min(Math.max(0, at + step), rows - 1);
}

/**
 * `/` to the search, `j` and `k` from row to row; arrows do the same once a row has the focus.
 * Gives the row that gets the focus, and what moves it.
 */
export function useRowKeys({ root, search, rows }: RowKeysOptions): readonly [{ readonly index: number } | null, (index: number) => void] {
  const [move, setMove] = useState<{ readonly index: number } | null>(null);
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (!isFree(event) || !root.current || !isMine(root.current, event.target)) return;
      const index = leadsTo(event, rows);
      if (event.key === '/') search.current?.focus();
      else if (index === null) return;
      else setMove({ index });
      event.preventDefault();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, [root, search, rows]);
  return [move, (index) => setMove({ index })];
}
