const KEY = 'slipway.theme';

export type Theme = 'light' | 'dark';

export const currentTheme = (): Theme => (document.documentElement.dataset['theme'] === 'dark' ? 'dark' : 'light');

/** Also for the next visits; public/theme.js reads it before the first paint. */
export function chooseTheme(theme: Theme): void {
  document.documentElement.dataset['theme'] = theme;
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // Storage may be switched off: then it holds until the page is left.
  }
}
