import { Outlet, useNavigate, useRouterState } from '@tanstack/react-router';
import { type JSX, lazy, type ReactNode, Suspense, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { useFreshness } from '../api/freshness.js';
import { useAddresses } from '../api/use-call.js';
import { formatClock } from '../format/time.js';
import { innerPath } from '../session/inner-path.js';
import { useSession } from '../session/use-session.js';
import { Announcements } from '../ui/announcements.js';
import { Icon } from '../ui/icon.js';
import { Notice } from '../ui/notice.js';
import { BudgetNotice } from './budget-notice.js';
import { Broken } from './faults.js';
import { Logo } from './logo.js';
import { ShortcutsDialog } from './shortcuts-dialog.js';
import { useShortcuts } from './shortcuts.js';
import { isProduction, Sidebar } from './sidebar.js';
import { TopBar } from './top-bar.js';

const Palette = lazy(() => import('./palette.js').then((module) => ({ default: module.Palette })));
const COLLAPSED = 'slipway.sidebar';

/** The frame around every screen of a signed-in person. When the session ends, it leads to the sign-in, and from there back. */
export function Shell(): JSX.Element {
  const state = useSession();
  const navigate = useNavigate();
  const href = useRouterState({ select: ({ location }) => location.href });

  useEffect(() => {
    // The frame is still drawn while the sign-in loads: from there nobody is sent on again.
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

/** The same frame around a failure that happened before the session was known. */
export function BrokenShell({ error }: { readonly error: unknown }): JSX.Element {
  return (
    <Frame>
      <Broken error={error} />
    </Frame>
  );
}

/** Whether the sidebar is collapsed, kept for the next visit. */
function useCollapsed(): readonly [boolean, () => void] {
  const [collapsed, setCollapsed] = useState(() => {
    try {
      return localStorage.getItem(COLLAPSED) === '1';
    } catch {
      return false;
    }
  });
  const toggle = (): void => {
    try {
      localStorage.setItem(COLLAPSED, collapsed ? '0' : '1');
    } catch {
      // Storage may be switched off: then the choice holds until the page is left.
    }
    setCollapsed(!collapsed);
  };
  return [collapsed, toggle];
}

/** Moves the focus to the screen when its path changes, as a page load would. */
function useFocusOnNavigation() {
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const main = useRef<HTMLElement>(null);
  const drawn = useRef(path);
  useEffect(() => {
    if (drawn.current !== path) main.current?.focus({ preventScroll: true });
    drawn.current = path;
  }, [path]);
  return main;
}

function Frame({ children }: { readonly children: ReactNode }): JSX.Element {
  const isIn = useSession().kind === 'in';
  const [open, setOpen] = useState(false);
  const [collapsed, toggle] = useCollapsed();
  const [overlay, setOverlay] = useState<'palette' | 'help' | null>(null);
  const main = useFocusOnNavigation();
  useShortcuts({ openPalette: () => isIn && setOverlay('palette'), openHelp: () => setOverlay('help'), toggleSidebar: toggle });
  const menuButton = (
    <button
      type="button"
      aria-expanded={open}
      aria-controls="navigation"
      onClick={() => setOpen(!open)}
      className="-ml-1 rounded-md p-2 hover:bg-sunken md:hidden"
    >
      <Icon name={open ? 'close' : 'menu'} className="size-5" />
      <span className="sr-only">Menu</span>
    </button>
  );

  return (
    <div className={`min-h-dvh md:grid ${collapsed ? 'md:grid-cols-[3.5rem_minmax(0,1fr)]' : 'md:grid-cols-[14rem_minmax(0,1fr)]'}`}>
      <a href="#content" className="sr-only focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-50 focus:bg-surface focus:p-2">
        Skip to the content
      </a>
      <header
        id="navigation"
        className={`${open ? 'fixed inset-x-0 top-12 bottom-0 z-40 flex' : 'hidden'} flex-col gap-2 border-line bg-surface p-2 md:sticky md:top-0 md:flex md:h-dvh md:border-r`}
      >
        <Logo collapsed={collapsed} />
        <Sidebar collapsed={collapsed && !open} onNavigate={() => setOpen(false)} onToggle={toggle} />
      </header>
      <div className="flex min-w-0 flex-col">
        <ProductionLine />
        <TopBar menuButton={menuButton} onSearch={() => setOverlay('palette')} />
        <main id="content" ref={main} tabIndex={-1} className="min-w-0 flex-1 outline-none">
          <OfflineNotice />
          <StaleNotice />
          {isIn && <BudgetNotice />}
          {children}
        </main>
      </div>
      {overlay === 'palette' && (
        <Suspense>
          <Palette onClose={() => setOverlay(null)} onHelp={() => setOverlay('help')} />
        </Suspense>
      )}
      {overlay === 'help' && <ShortcutsDialog onClose={() => setOverlay(null)} />}
      <Announcements />
    </div>
  );
}

/** A red line over the page where real users depend on what is changed. */
function ProductionLine(): JSX.Element | null {
  const environment = useAddresses()?.environment ?? '';
  return isProduction(environment) ? <div aria-hidden="true" data-production="" className="h-0.5 bg-bad" /> : null;
}

/** Says since when the figures are old, once the console has not answered for 10 s. */
function StaleNotice(): JSX.Element | null {
  const { state, answeredAt } = useFreshness();
  if (state === 'live' || answeredAt === 0) return null;
  return (
    <div className="px-4 pt-3 md:px-6">
      <Notice look="warn">The console is not responding. Data is as of {formatClock(answeredAt)}; reconnecting…</Notice>
    </div>
  );
}

function subscribe(listener: () => void): () => void {
  window.addEventListener('online', listener);
  window.addEventListener('offline', listener);
  return () => {
    window.removeEventListener('online', listener);
    window.removeEventListener('offline', listener);
  };
}

/** Says that the machine has no network, before a question fails. */
function OfflineNotice(): JSX.Element | null {
  const online = useSyncExternalStore(subscribe, () => navigator.onLine);
  if (online) return null;
  return (
    <div className="p-3">
      <Notice look="warn">You are offline. What you see may be out of date, and changes will fail.</Notice>
    </div>
  );
}
