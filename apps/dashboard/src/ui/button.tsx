import type { ButtonHTMLAttributes, JSX } from 'react';
import { Icon, type IconName } from './icon.js';

const LOOKS = {
  main: 'bg-accent text-on-accent border-accent hover:opacity-90',
  plain: 'bg-surface text-ink border-edge hover:bg-sunken',
  quiet: 'bg-transparent text-ink border-transparent hover:bg-sunken',
  danger: 'bg-bad text-on-bad border-bad hover:opacity-90',
} as const;

export type ButtonLook = keyof typeof LOOKS;

/** For links that look like buttons. */
export const buttonClass = (look: ButtonLook): string =>
  `inline-flex items-center justify-center gap-2 min-h-9 rounded-md border px-3 py-1.5 text-sm font-medium whitespace-nowrap disabled:opacity-60 disabled:cursor-not-allowed ${LOOKS[look]}`;

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly look?: ButtonLook;
  readonly icon?: IconName;
  /** Something is under way: the button waits and says so. */
  readonly busy?: boolean;
}

export function Button({
  look = 'plain',
  icon,
  busy = false,
  children,
  className = '',
  disabled,
  type = 'button',
  ...rest
}: ButtonProps): JSX.Element {
  return (
    <button
      {...rest}
      type={type === 'submit' ? 'submit' : 'button'}
      disabled={disabled === true || busy}
      aria-busy={busy || undefined}
      className={`${buttonClass(look)} ${className}`}
    >
      {busy ? <Icon name="spinner" className="size-4 animate-spin" /> : icon && <Icon name={icon} />}
      {children}
    </button>
  );
}
