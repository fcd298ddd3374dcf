import { type JSX, type ReactNode, useEffect } from 'react';

export { EmptyState as Empty } from './empty-state.js';

export interface PageProps {
  readonly title: string;
  /** Beside the title: a state, a copyable name. */
  readonly beside?: ReactNode;
  readonly about?: ReactNode;
  readonly actions?: ReactNode;
  /** `full`: to 1,600 pixels, for lists and charts. `form`: 640 pixels, for what is read and filled in line by line. */
  readonly width?: 'full' | 'form';
  readonly children: ReactNode;
}

const WIDTHS = { full: 'max-w-[100rem]', form: 'max-w-[43rem] sm:ml-0' } as const;

/** One screen: its heading, and what can be done on all of it. */
export function Page({ title, beside, about, actions, width = 'full', children }: PageProps): JSX.Element {
  useEffect(() => {
    document.title = `${title} · Slipway`;
  }, [title]);
  return (
    <div className={`mx-auto grid w-full grid-cols-[minmax(0,1fr)] gap-6 p-4 sm:p-6 ${WIDTHS[width]}`}>
      <header className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
        <div className="min-w-0">
          <div className="flex min-h-8 flex-wrap items-center gap-x-3 gap-y-1">
            <h1 className="text-xl font-semibold tracking-tight wrap-anywhere">{title}</h1>
            {beside}
          </div>
          {about !== undefined && <div className="mt-0.5 text-muted">{about}</div>}
        </div>
        {actions !== undefined && <div className="flex flex-wrap gap-2">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

export interface SectionProps {
  readonly title: string;
  readonly about?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

function SectionHead({ title, about, actions }: Omit<SectionProps, 'children'>): JSX.Element {
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
      <div className="min-w-0">
        <h2 className="font-semibold">{title}</h2>
        {about !== undefined && <p className="text-sm text-muted">{about}</p>}
      </div>
      {actions}
    </div>
  );
}

/** A part of a screen with its own heading. */
export function Section({ children, ...head }: SectionProps): JSX.Element {
  return (
    <section className="grid grid-cols-[minmax(0,1fr)] content-start gap-3">
      <SectionHead {...head} />
      {children}
    </section>
  );
}

/** The same in a frame, for parts that stand beside each other. */
export function Panel({ children, ...head }: SectionProps): JSX.Element {
  return (
    <section className="grid grid-cols-[minmax(0,1fr)] content-start gap-3 rounded-lg border border-line bg-surface p-4">
      <SectionHead {...head} />
      {children}
    </section>
  );
}
