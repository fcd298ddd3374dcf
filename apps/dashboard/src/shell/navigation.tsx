import { Link, type LinkProps } from '@tanstack/react-router';
import type { JSX } from 'react';
import { useAccount } from '../session/use-session.js';
import { Icon, type IconName } from '../ui/icon.js';

interface Place {
  readonly to: NonNullable<LinkProps['to']>;
  readonly label: string;
  readonly icon: IconName;
  readonly forOwners?: boolean;
}

const PLACES: readonly Place[] = [
  { to: '/deployments', label: 'Deployments', icon: 'box' },
  { to: '/api-keys', label: 'API Keys', icon: 'key' },
  { to: '/playground', label: 'Playground', icon: 'chat' },
  { to: '/usage', label: 'Usage', icon: 'chart' },
  { to: '/members', label: 'Members', icon: 'people' },
  { to: '/activity', label: 'Activity', icon: 'list', forOwners: true },
];

const LOOK =
  'flex min-h-10 items-center gap-3 rounded-md px-3 text-sm font-medium text-muted hover:bg-sunken hover:text-ink aria-[current=page]:bg-accent-soft aria-[current=page]:text-ink';

export function Navigation({ onNavigate }: { readonly onNavigate: () => void }): JSX.Element {
  const { role } = useAccount();
  return (
    <nav aria-label="Main" className="flex-1">
      <ul className="grid gap-0.5">
        {PLACES.filter(({ forOwners = false }) => !forOwners || role === 'owner').map(({ to, label, icon }) => (
          <li key={to}>
            <Link to={to} className={LOOK} onClick={onNavigate}>
              <Icon name={icon} className="size-4.5" />
              {label}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
