import type { JSX, ReactNode } from 'react';

/** One state of a part, with its name. */
export function Example({ title, children }: { readonly title: string; readonly children: ReactNode }): JSX.Element {
  return (
    <section aria-label={title} className="grid min-w-0 grid-cols-[minmax(0,1fr)] content-start gap-2">
      <h3 className="text-xs text-muted">{title}</h3>
      <div className="flex min-w-0 flex-wrap items-start gap-3">{children}</div>
    </section>
  );
}
