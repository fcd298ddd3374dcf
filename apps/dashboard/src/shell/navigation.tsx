import { Link, type LinkProps, useRouterState } from '@tanstack/react-router';
import type { JSX } from 'react';
import { accountIn } from '../session/inner-path.js';
import { useAccount } from '../session/use-session.js';
import { Icon, type IconName } from '../ui/icon.js';

interface Place {
  readonly to: NonNullable<LinkProps['to']>;
  readonly label: string;
  readonly icon: IconName;
  readonly forOwners?: boolean;
}

const PLACES: readonly Place[] = [
  { to: '/$account/deployments', label: 'Deployments', icon: 'box' },
  { to: '/$account/api-keys', label: 'API Keys', icon: 'key' },
  { to: '/$account/playground', label: 'Playground', icon: 'chat' },
  { to: '/$account/usage', label: 'Usage', icon: 'chart' },
  { to: '/$account/members', label: 'Members', icon: 'people' },
  { to: '/$account/activity', label: 'Activity', icon: 'list', forOwners: true },
];

const LOOK =
  'flex min-h-10 items-center gap-3 rounded-md px-3 text-sm font-medium text-muted hover:bg-sunken hover:text-ink aria-[current=page]:bg-accent-soft aria-[current=page]:text-ink';

export function Navigation({ onNavigate }: { readonly onNavigate: () => void }): JSX.Element {
  const { role, slug } = useAccount();
  // Before it is known who works here, the address says in which account.
  const named = useRouterState({ select: ({ location }) => accountIn(location.pathname) });
  return (
    <nav aria-label="Main" className="flex-1">
      <ul className="grid gap-0.5">
        {PLACES.filter(({ forOwners = false }) => !forOwners || role === 'owner').map(({ to, label, icon }) => (
          <li key={to}>
            <Link to={to} params={{ account: slug === '' ? (named ?? '') : slug }} className={LOOK} onClick={onNavigate}>
              <Icon name={icon} className="size-4.5" />
              {label}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
