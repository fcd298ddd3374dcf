import { Outlet, useNavigate, useRouterState } from '@tanstack/react-router';
import { type JSX, type ReactNode, useEffect, useRef, useState } from 'react';
import { innerPath } from '../session/inner-path.js';
import { useSession } from '../session/use-session.js';
import { Announcements } from '../ui/announcements.js';
import { Icon } from '../ui/icon.js';
import { Broken } from './faults.js';
import { Logo } from './logo.js';
import { Navigation } from './navigation.js';
import { OfflineNotice } from './offline-notice.js';
import { PersonMenu } from './person-menu.js';

/** What is around every screen of somebody who is signed in. Who is not any more goes to the sign-in, and from there back. */
export function Shell(): JSX.Element {
  const state = useSession();
  const navigate = useNavigate();
  const href = useRouterState({ select: ({ location }) => location.href });

  useEffect(() => {
    // It is drawn on while the sign-in is loaded: from there nobody is sent on again.
    const isLeaving = innerPath(href) !== href;
    if (state.kind !== 'out' || isLeaving) return;
    void navigate({ to: '/sign-in', search: state.ended ? { failed: 'session_ended', next: href } : {} });
  }, [state, navigate, href]);

  return (
    <Frame>
      <Outlet />
    </Frame>
  );
}

/** The same around a failure, where nobody can say who is signed in. */
export function BrokenShell({ error }: { readonly error: unknown }): JSX.Element {
  return (
    <Frame>
      <Broken error={error} />
    </Frame>
  );
}

function Frame({ children }: { readonly children: ReactNode }): JSX.Element {
  const isIn = useSession().kind === 'in';
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const [open, setOpen] = useState(false);
  const main = useRef<HTMLElement>(null);
  const drawn = useRef(path);

  useEffect(() => {
    if (drawn.current !== path) main.current?.focus({ preventScroll: true });
    drawn.current = path;
  }, [path]);

  return (
    <div className="min-h-dvh md:grid md:grid-cols-[15rem_minmax(0,1fr)]">
      <a href="#content" className="sr-only focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-50 focus:bg-surface focus:p-2">
        Skip to the content
      </a>
      <header className="border-b border-line bg-surface md:sticky md:top-0 md:flex md:h-dvh md:flex-col md:border-r md:border-b-0">
        <div className="flex items-center justify-between gap-2 p-3 md:p-4">
          <Logo />
          <button
            type="button"
            aria-expanded={open}
            aria-controls="navigation"
            onClick={() => setOpen(!open)}
            className="rounded-md p-2 hover:bg-sunken md:hidden"
          >
            <Icon name={open ? 'close' : 'menu'} className="size-5" />
            <span className="sr-only">Menu</span>
          </button>
        </div>
        <div id="navigation" className={`${open ? 'flex' : 'hidden'} flex-1 flex-col gap-4 px-3 pb-3 md:flex`}>
          <Navigation onNavigate={() => setOpen(false)} />
          {isIn && <PersonMenu />}
        </div>
      </header>
      <main id="content" ref={main} tabIndex={-1} className="min-w-0 outline-none">
        <OfflineNotice />
        {children}
      </main>
      <Announcements />
    </div>
  );
}
