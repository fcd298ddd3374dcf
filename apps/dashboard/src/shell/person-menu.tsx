import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type JSX, useState } from 'react';
import { messageOf } from '../api/console-error.js';
import { me as askMe } from '../api/use-call.js';
import { session } from '../session/session.js';
import { useAccount } from '../session/use-session.js';
import { announce } from '../ui/announcements.js';
import { Icon } from '../ui/icon.js';
import { Menu, type MenuEntry } from '../ui/menu.js';
import { chooseTheme, currentTheme } from './theme.js';

const failed = (error: unknown): void => announce(messageOf(error), 'bad');

/** Who works here and in which account, with what belongs to neither screen. */
export function PersonMenu(): JSX.Element {
  const account = useAccount();
  const navigate = useNavigate();
  const { data: me } = useQuery({ queryKey: ['me'], queryFn: askMe });
  const [theme, setTheme] = useState(currentTheme);

  const switchTo = (slug: string): void => {
    session.switchTo(slug).then(() => navigate({ to: '/$account/deployments', params: { account: slug } }), failed);
  };
  const turn = (): void => {
    const next = theme === 'dark' ? 'light' : 'dark';
    chooseTheme(next);
    setTheme(next);
  };
  const others: MenuEntry[] = (me?.memberships ?? [])
    .filter(({ slug }) => slug !== account.slug)
    .map(({ slug }) => ({ label: `Switch to ${slug}`, onSelect: () => switchTo(slug) }));

  return (
    <div className="grid gap-1 border-t border-line pt-3">
      <button
        type="button"
        onClick={turn}
        className="flex min-h-10 items-center gap-3 rounded-md px-3 text-sm text-muted hover:bg-sunken hover:text-ink"
      >
        <Icon name={theme === 'dark' ? 'sun' : 'moon'} className="size-4.5" />
        {theme === 'dark' ? 'Light colours' : 'Dark colours'}
      </button>
      <Menu
        label={`${account.slug}, ${me?.email ?? 'you'}: account menu`}
        triggerClass="flex min-h-12 w-full items-center gap-3 rounded-md px-3 text-left text-sm hover:bg-sunken"
        trigger={
          <>
            <Icon name="person" className="size-4.5" />
            <span className="min-w-0 flex-1">
              <span className="block truncate font-medium">{account.slug}</span>
              <span className="block truncate text-muted">{me?.email ?? '\u00A0'}</span>
            </span>
            <Icon name="down" className="size-4" />
          </>
        }
        entries={[
          { label: 'Your account', onSelect: () => void navigate({ to: '/$account/account', params: { account: account.slug } }) },
          ...others,
          { label: 'Sign out', onSelect: () => void session.signOut().catch(failed) },
        ]}
      />
    </div>
  );
}
