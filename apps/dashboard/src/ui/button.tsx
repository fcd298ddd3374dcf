import type { ButtonHTMLAttributes, JSX } from 'react';
import { Icon, type IconName } from './icon.js';
import { Tooltip } from './tooltip.js';

const LOOKS = {
  main: 'bg-accent text-on-accent border-transparent hover:bg-accent/90',
  plain: 'bg-raised text-ink border-rim hover:bg-sunken',
  quiet: 'bg-transparent text-ink border-transparent hover:bg-sunken',
  danger: 'bg-bad text-on-bad border-transparent hover:bg-bad/90',
} as const;

export type ButtonLook = keyof typeof LOOKS;

const FRAME =
  'inline-flex shrink-0 items-center justify-center rounded-md border text-sm font-medium whitespace-nowrap transition-colors min-h-8 pointer-coarse:min-h-11 disabled:opacity-50 disabled:cursor-not-allowed';

/** For links that look like buttons. */
export const buttonClass = (look: ButtonLook): string => `${FRAME} gap-1.5 px-3 ${LOOKS[look]}`;

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
      {busy ? <Icon name="spinner" className="-ml-0.5 size-4 animate-spin" /> : icon && <Icon name={icon} className="-ml-0.5 size-4" />}
      {children}
    </button>
  );
}

export interface IconButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'children'> {
  readonly icon: IconName;
  /** What the button does: its name, and its tooltip. */
  readonly label: string;
  readonly look?: ButtonLook;
  readonly busy?: boolean;
}

/** A button with a picture alone, for bars and rows with little space. */
export function IconButton({ icon, label, look = 'quiet', busy = false, className = '', disabled, ...rest }: IconButtonProps): JSX.Element {
  return (
    <Tooltip text={label}>
      <button
        {...rest}
        type="button"
        aria-label={label}
        disabled={disabled === true || busy}
        aria-busy={busy || undefined}
        className={`${FRAME} min-w-8 pointer-coarse:min-w-11 ${look === 'quiet' ? 'text-muted hover:text-ink' : ''} ${LOOKS[look]} ${className}`}
      >
        <Icon name={busy ? 'spinner' : icon} className={`size-4 ${busy ? 'animate-spin' : ''}`} />
      </button>
    </Tooltip>
  );
}
