import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { useAccount } from '../session/use-session.js';
import { placesFor } from './places.js';

/** A second key must follow `g` within this time, in milliseconds. */
const SEQUENCE_MS = 1_500;

/** What the shell does at keys that lead to no screen. */
export interface ShellActions {
  readonly openPalette: () => void;
  readonly openHelp: () => void;
  readonly toggleSidebar: () => void;
}

const isTyping = ({ target }: KeyboardEvent): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

/** Dialogs, menus and lists keep their keys. */
const isInOverlay = ({ target }: KeyboardEvent): boolean =>
  target instanceof Element && target.closest('[role=dialog],[role=menu],[role=listbox],[role=combobox]') !== null;

/** Whether a key is free for the shell: no element has used it, and it types nothing. */
const isFree = (event: KeyboardEvent): boolean =>
  !(event.defaultPrevented || event.metaKey || event.ctrlKey || event.altKey || isTyping(event) || isInOverlay(event));

const PAGE_ACTION = '[data-shortcut="create"]';

/**
 * Keys of the whole console: `Ctrl K` or `⌘K` everywhere; outside of fields and dialogs `g` with the letter of a screen, `c` for the
 * page's create action (the element with `data-shortcut="create"`), `[` for the sidebar and `?` for the list of keys.
 */
export function useShortcuts(actions: ShellActions): void {
  const navigate = useNavigate();
  const { slug: account, role } = useAccount();
  const sinceG = useRef(0);
  const latest = useRef(actions);
  latest.current = actions;

  useEffect(() => {
    const placeOf = (key: string) =>
      placesFor(role === 'owner')
        .flatMap(({ places }) => places)
        .find((place) => place.key === key);
    const single: Readonly<Record<string, () => void>> = {
      '?': () => latest.current.openHelp(),
      '[': () => latest.current.toggleSidebar(),
      c: () => document.querySelector<HTMLElement>(PAGE_ACTION)?.click(),
      g: () => void (sinceG.current = Date.now()),
    };
    const onKey = (event: KeyboardEvent): void => {
      if ((event.metaKey || event.ctrlKey) && !event.altKey && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        return latest.current.openPalette();
      }
      if (!isFree(event)) return;
      sinceG.current = 0;
      const act = single[event.key];
      if (!act || account === '') return;
      event.preventDefault();
      act();
    };
    // Comes before the keys of lists, for which the same letter means another row.
    const onSecondKey = (event: KeyboardEvent): void => {
      if (account === '' || Date.now() - sinceG.current >= SEQUENCE_MS || !isFree(event)) return;
      const place = placeOf(event.key);
      if (!place) return;
      sinceG.current = 0;
      event.preventDefault();
      void navigate({ to: place.to, params: { account } });
    };
    window.addEventListener('keydown', onSecondKey, true);
    window.addEventListener('keydown', onKey);
    return () => {
      window.removeEventListener('keydown', onSecondKey, true);
      window.removeEventListener('keydown', onKey);
    };
  }, [navigate, account, role]);
}
