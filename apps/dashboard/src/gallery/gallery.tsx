import type { JSX } from 'react';
import { chooseTheme, useTheme } from '../shell/theme.js';
import { Announcements } from '../ui/announcements.js';
import { Button } from '../ui/button.js';
import type { Part } from './part.js';

const FILE = /\/([^/]+)\.part\.tsx$/;
const FILES = import.meta.glob<{ readonly default: Part }>('./*.part.tsx', { eager: true });
const PARTS = Object.entries(FILES)
  .map(([path, { default: part }]) => ({ name: FILE.exec(path)?.[1] ?? path, ...part }))
  .toSorted((a, b) => a.title.localeCompare(b.title));

/** All parts on one page; `?part=NAME` shows that of `NAME.part.tsx` alone. */
export function Gallery(): JSX.Element {
  const wanted = new URLSearchParams(window.location.search).get('part');
  const other = useTheme() === 'dark' ? 'light' : 'dark';
  return (
    <>
      <main className="mx-auto grid max-w-[100rem] grid-cols-[minmax(0,1fr)] gap-8 p-6">
        <header className="flex flex-wrap items-center justify-between gap-3">
          <h1 className="text-xl font-semibold tracking-tight">Parts</h1>
          <Button onClick={() => chooseTheme(other)}>Switch to {other}</Button>
          <nav aria-label="Parts" className="flex basis-full flex-wrap gap-x-4 gap-y-1 text-sm leading-6">
            <a href="?" className="inline-block text-accent underline">
              All
            </a>
            {PARTS.map(({ name, title }) => (
              <a key={name} href={`?part=${name}`} className="inline-block text-accent underline">
                {title}
              </a>
            ))}
          </nav>
        </header>
        {PARTS.filter(({ name }) => wanted === null || wanted === name).map(({ name, title, Examples }) => (
          <section key={name} aria-labelledby={`part-${name}`} className="grid grid-cols-[minmax(0,1fr)] gap-4 border-t border-line pt-4">
            <h2 id={`part-${name}`} className="text-lg font-semibold">
              {title}
            </h2>
            <Examples />
          </section>
        ))}
      </main>
      <Announcements />
    </>
  );
}
