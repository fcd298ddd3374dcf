import { type JSX, type ReactNode, useEffect } from 'react';
import { Logo } from '../shell/logo.js';

/** The frame of what is shown before somebody is signed in. */
export function Door({ title, children }: { readonly title: string; readonly children: ReactNode }): JSX.Element {
  useEffect(() => {
    document.title = `${title} · Slipway`;
  }, [title]);
  return (
    <main className="grid min-h-dvh place-items-center p-4">
      <div className="grid w-full max-w-sm grid-cols-[minmax(0,1fr)] gap-5 rounded-xl border border-line bg-surface p-6 shadow-sm">
        <Logo />
        <h1 className="text-xl font-semibold tracking-tight">{title}</h1>
        {children}
      </div>
    </main>
  );
}
