import { useSyncExternalStore } from 'react';

/** Where public/theme.js looks before the first paint. */
const KEY = 'slipway.theme';

export const THEMES = ['system', 'light', 'dark'] as const;
/** What a person chose; `system` follows the device. */
export type Theme = (typeof THEMES)[number];

const device = matchMedia('(prefers-color-scheme: dark)');
const listeners = new Set<() => void>();
let chosen: Theme = read();

function read(): Theme {
  try {
    const kept = localStorage.getItem(KEY);
    return kept === 'light' || kept === 'dark' ? kept : 'system';
  } catch {
    // Storage may be switched off.
    return 'system';
  }
}

function show(): void {
  const isDark = chosen === 'dark' || (chosen === 'system' && device.matches);
  document.documentElement.dataset['theme'] = isDark ? 'dark' : 'light';
}

device.addEventListener('change', show);

/** Changes the colours now and for the next visits. */
export function chooseTheme(theme: Theme): void {
  chosen = theme;
  try {
    if (theme === 'system') localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, theme);
  } catch {
    // Storage may be switched off: then the choice holds until the page is left.
  }
  show();
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The chosen theme, not the colours that it leads to. */
export const useTheme = (): Theme => useSyncExternalStore(subscribe, () => chosen);
