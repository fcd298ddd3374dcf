import { Menu } from '@base-ui/react/menu';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useRouterState } from '@tanstack/react-router';
import type { JSX } from 'react';
import { messageOf } from '../api/console-error.js';
import { me as askMe, useAddresses } from '../api/use-call.js';
import { accountIn } from '../session/inner-path.js';
import { session } from '../session/session.js';
import { useAccount, useSession } from '../session/use-session.js';
import { announce } from '../ui/announcements.js';
import { Icon } from '../ui/icon.js';
import { PersonMenu } from './person-menu.js';
import { type Place, placesFor } from './places.js';
import { StatusDot } from './status-dot.js';

export interface SidebarProps {
  /** Shows icons alone. */
  readonly collapsed: boolean;
  readonly onNavigate: () => void;
  readonly onToggle: () => void;
}

/** The account switcher, the screens in their groups, and at the foot what belongs to the person. */
export function Sidebar({ collapsed, onNavigate, onToggle }: SidebarProps): JSX.Element {
  const isIn = useSession().kind === 'in';
  return (
    <>
      {isIn && <AccountSwitcher collapsed={collapsed} />}
      <Navigation collapsed={collapsed} onNavigate={onNavigate} />
      <div className="grid gap-0.5 border-t border-line pt-2">
        {isIn && <StatusDot collapsed={collapsed} />}
        <button
          type="button"
          onClick={onToggle}
          aria-pressed={collapsed}
          aria-label={collapsed ? 'Expand the sidebar' : 'Collapse the sidebar'}
          className="nav-item hidden md:flex"
        >
          <Icon name="panel" />
          {!collapsed && <span>Collapse</span>}
        </button>
        {isIn && <PersonMenu collapsed={collapsed} />}
      </div>
    </>
  );
}

function AccountSwitcher({ collapsed }: { readonly collapsed: boolean }): JSX.Element {
  const { slug } = useAccount();
  const navigate = useNavigate();
  const { data: me } = useQuery({ queryKey: ['me'], queryFn: askMe });
  const environment = useAddresses()?.environment;
  const switchTo = (account: string): void => {
    if (account === slug) return;
    session.switchTo(account).then(
      () => navigate({ to: '/$account/home', params: { account } }),
      (error: unknown) => announce(messageOf(error), 'bad'),
    );
  };
  return (
    <Menu.Root>
      <Menu.Trigger
        aria-label={`Account ${slug}${environment === undefined ? '' : `, environment ${environment}`}: switch account`}
        className="flex min-h-9 w-full items-center gap-2 rounded-md px-2 text-left font-medium hover:bg-sunken"
      >
        <span
          aria-hidden="true"
          className="grid size-6 shrink-0 place-items-center rounded-sm bg-accent-soft text-xs font-semibold text-accent uppercase"
        >
          {slug.slice(0, 2)}
        </span>
        {!collapsed && (
          <>
            <span className="min-w-0 flex-1 truncate">{slug}</span>
            {environment !== undefined && <EnvironmentChip environment={environment} />}
            <Icon name="switch" className="size-3.5 text-muted" />
          </>
        )}
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner align="start" sideOffset={4} className="z-50">
          <Menu.Popup className="max-h-80 min-w-56 overflow-y-auto rounded-lg border border-line bg-surface p-1 shadow-lg outline-none">
            <Menu.RadioGroup value={slug} onValueChange={(account: string) => switchTo(account)}>
              <Menu.GroupLabel className="px-3 py-1.5 text-xs text-muted">Accounts</Menu.GroupLabel>
              {(me?.memberships ?? []).map(({ slug: account, role }) => (
                <Menu.RadioItem
                  key={account}
                  value={account}
                  closeOnClick
                  className="flex cursor-pointer items-center gap-3 rounded-md px-3 py-1.5 outline-none data-highlighted:bg-sunken"
                >
                  <span className="min-w-0 flex-1 truncate">{account}</span>
                  <span className="text-xs text-muted">{role}</span>
                  <span className="size-4">{account === slug && <Icon name="check" />}</span>
                </Menu.RadioItem>
              ))}
            </Menu.RadioGroup>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}

/** Whether an environment's name says that real users depend on it. */
export const isProduction = (environment: string): boolean => environment.startsWith('prod');

/** The environment of this installation: consoles of two environments must not look the same. */
function EnvironmentChip({ environment }: { readonly environment: string }): JSX.Element {
  const look = isProduction(environment) ? 'bg-bad-soft text-bad' : 'bg-sunken text-muted';
  return <span className={`max-w-24 truncate rounded-sm px-1.5 py-0.5 text-xs font-medium ${look}`}>{environment}</span>;
}

function Navigation({ collapsed, onNavigate }: { readonly collapsed: boolean; readonly onNavigate: () => void }): JSX.Element {
  const { role, slug } = useAccount();
  // Before the session is known, the address names the account.
  const named = useRouterState({ select: ({ location }) => accountIn(location.pathname) });
  const account = slug === '' ? (named ?? '') : slug;
  return (
    <nav aria-label="Main" className="flex-1 overflow-y-auto">
      {placesFor(role === 'owner').map(({ title, places }) => (
        <div key={title ?? ''} className="mb-2">
          {title !== null && !collapsed && <div className="px-2 pt-1 pb-0.5 text-xs font-medium text-muted">{title}</div>}
          <ul className="grid gap-px">
            {places.map((place) => (
              <li key={place.to}>
                <PlaceLink place={place} account={account} collapsed={collapsed} onNavigate={onNavigate} />
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}

interface PlaceLinkProps {
  readonly place: Place;
  readonly account: string;
  readonly collapsed: boolean;
  readonly onNavigate: () => void;
}

function PlaceLink({ place: { to, label, icon }, account, collapsed, onNavigate }: PlaceLinkProps): JSX.Element {
  return (
    <Link to={to} params={{ account }} search={{}} onClick={onNavigate} className="nav-item" title={collapsed ? label : undefined}>
      <Icon name={icon} />
      <span className={collapsed ? 'sr-only' : ''}>{label}</span>
    </Link>
  );
}
