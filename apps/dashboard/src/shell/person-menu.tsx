import { Menu } from '@base-ui/react/menu';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { JSX } from 'react';
import { messageOf } from '../api/console-error.js';
import { me as askMe } from '../api/use-call.js';
import { session } from '../session/session.js';
import { useAccount } from '../session/use-session.js';
import { announce } from '../ui/announcements.js';
import { Icon } from '../ui/icon.js';
import { chooseTheme, type Theme, THEMES, useTheme } from './theme.js';

const ITEM = 'flex cursor-pointer items-center gap-3 rounded-md px-3 py-1.5 outline-none data-highlighted:bg-sunken';
const THEME_WORDS: Readonly<Record<Theme, string>> = { system: 'System', light: 'Light', dark: 'Dark' };
const THEME_ICONS = { system: 'monitor', light: 'sun', dark: 'moon' } as const;

/** Who is signed in, with what belongs to the person: profile, colours, sign-out. */
export function PersonMenu({ collapsed }: { readonly collapsed: boolean }): JSX.Element {
  const { slug: account } = useAccount();
  const { data: me } = useQuery({ queryKey: ['me'], queryFn: askMe });
  const theme = useTheme();
  const signOut = (): void => void session.signOut().catch((error: unknown) => announce(messageOf(error), 'bad'));
  const shown = me?.name || me?.email;
  return (
    <Menu.Root>
      <Menu.Trigger aria-label={`${shown ?? 'You'}: profile menu`} className="nav-item w-full text-left">
        <Icon name="person" />
        {!collapsed && <span className="min-w-0 flex-1 truncate">{shown ?? '\u00A0'}</span>}
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner side="top" align="start" sideOffset={4} className="z-50">
          <Menu.Popup className="min-w-56 rounded-lg border border-line bg-surface p-1 shadow-lg outline-none">
            <div className="max-w-64 truncate px-3 py-1.5 text-xs text-muted">{me?.email}</div>
            <Menu.LinkItem render={<Link to="/$account/profile" params={{ account }} />} closeOnClick className={ITEM}>
              <Icon name="person" />
              Your profile
            </Menu.LinkItem>
            <Menu.Separator className="my-1 h-px bg-line" />
            <Menu.RadioGroup value={theme} onValueChange={(next: Theme) => chooseTheme(next)}>
              <Menu.GroupLabel className="px-3 py-1 text-xs text-muted">Theme</Menu.GroupLabel>
              {THEMES.map((one) => (
                <Menu.RadioItem key={one} value={one} className={ITEM}>
                  <Icon name={THEME_ICONS[one]} />
                  <span className="flex-1">{THEME_WORDS[one]}</span>
                  <span className="size-4">{one === theme && <Icon name="check" />}</span>
                </Menu.RadioItem>
              ))}
            </Menu.RadioGroup>
            <Menu.Separator className="my-1 h-px bg-line" />
            <Menu.Item onClick={signOut} className={ITEM}>
              <Icon name="sign-out" />
              Sign out
            </Menu.Item>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}
