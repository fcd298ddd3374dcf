import type { JSX } from 'react';

const PATHS = {
  key: 'M8 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8Z M12 12h9v3.5 M17 12v3',
  box: 'M12 3 20 7.5v9L12 21l-8-4.5v-9L12 3Z M4 7.5 12 12l8-4.5 M12 12v9',
  chat: 'M4 5h16v11H9l-5 4V5Z',
  chart: 'M4 20V4 M4 20h16 M8 16v-4 M12 16V8 M16 16v-6',
  list: 'M8 6h12 M8 12h12 M8 18h12 M4 6h.01 M4 12h.01 M4 18h.01',
  people:
    'M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7Z M2.5 20a6.5 6.5 0 0 1 13 0 M16 4.300a3.5 3.5 0 0 1 0 6.5 M18 14.5a6.5 6.5 0 0 1 3.5 5.5',
  person: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8Z M4.5 20.5a7.5 7.5 0 0 1 15 0',
  more: 'M5 12h.01 M12 12h.01 M19 12h.01',
  copy: 'M9 9h11v11H9z M15 9V4H4v11h5',
  check: 'm5 12.5 4.5 4.5L19 7',
  close: 'M6 6l12 12 M18 6 6 18',
  menu: 'M4 7h16 M4 12h16 M4 17h16',
  plus: 'M12 5v14 M5 12h14',
  clock: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18Z M12 7v5l3 2',
  spinner: 'M12 3a9 9 0 1 0 9 9',
  warning: 'M12 4 2.5 20h19L12 4Z M12 10v4.5 M12 17.5h.01',
  failed: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18Z M9 9l6 6 M15 9l-6 6',
  pause: 'M9 6v12 M15 6v12',
  sun: 'M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8Z M12 2v2 M12 20v2 M2 12h2 M20 12h2 M5 5l1.5 1.5 M17.5 17.5 19 19 M19 5l-1.5 1.5 M6.5 17.5 5 19',
  moon: 'M20 14a8 8 0 1 1-10-10 6.5 6.5 0 0 0 10 10Z',
  back: 'M15 5l-7 7 7 7',
  down: 'm6 9 6 6 6-6',
  send: 'M4 12 20 4l-4.500 16-4-7-7.500-1Z',
  stop: 'M7 7h10v10H7z',
  code: 'm8 7-5 5 5 5 M16 7l5 5-5 5',
  settings: 'M4 7h10 M18 7h2 M16 5v4 M4 17h4 M12 17h8 M10 15v4',
  columns: 'M4 5h16v14H4z M12 5v14',
} as const;

export type IconName = keyof typeof PATHS;

/** A picture beside words that say the same; screen readers skip it. */
export function Icon({ name, className = 'size-4' }: { readonly name: IconName; readonly className?: string }): JSX.Element {
  return (
    <svg
      aria-hidden="true"
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="2"
      strokeLinecap="round"
      strokeLinejoin="round"
      className={`shrink-0 ${className}`}
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
