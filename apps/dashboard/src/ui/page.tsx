import { type JSX, type ReactNode, useEffect } from 'react';

export interface PageProps {
  readonly title: string;
  readonly about?: ReactNode;
  readonly actions?: ReactNode;
  /** Takes the width that there is: for tables with many columns. */
  readonly wide?: boolean;
  readonly children: ReactNode;
}

/** One screen: its heading, and what can be done on all of it. */
export function Page({ title, about, actions, wide = false, children }: PageProps): JSX.Element {
  useEffect(() => {
    document.title = `${title} · Slipway`;
  }, [title]);
  return (
    <div className={`mx-auto grid w-full grid-cols-[minmax(0,1fr)] gap-5 p-4 sm:p-6 ${wide ? 'max-w-[100rem]' : 'max-w-6xl'}`}>
      <header className="flex flex-wrap items-end justify-between gap-3">
        <div className="min-w-0">
          <h1 className="text-xl font-semibold tracking-tight break-words">{title}</h1>
          {about !== undefined && <div className="mt-1 text-muted">{about}</div>}
        </div>
        {actions !== undefined && <div className="flex flex-wrap gap-2">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

/** A part of a screen with its own heading. */
export function Panel({
  title,
  actions,
  children,
}: {
  readonly title: string;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}): JSX.Element {
  return (
    <section className="grid grid-cols-[minmax(0,1fr)] content-start gap-3 rounded-lg border border-line bg-surface p-4">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h2 className="text-base font-semibold">{title}</h2>
        {actions}
      </div>
      {children}
    </section>
  );
}

/** What is shown where there is nothing yet. */
export function Empty({
  title,
  children,
  action,
}: {
  readonly title: string;
  readonly children: ReactNode;
  readonly action?: ReactNode;
}): JSX.Element {
  return (
    <div className="grid justify-items-center gap-2 rounded-lg border border-dashed border-edge bg-surface px-4 py-12 text-center">
      <h2 className="text-base font-semibold">{title}</h2>
      <div className="max-w-prose text-muted">{children}</div>
      {action !== undefined && <div className="pt-2">{action}</div>}
    </div>
  );
}
