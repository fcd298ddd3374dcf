import { type JSX, useEffect, useState } from 'react';
import { Button, type ButtonProps } from './button.js';
import { Icon } from './icon.js';
import { Tooltip } from './tooltip.js';

const SHOWN_MS = 2_500;
const COPIED = 'Copied';

/** Puts a text on the clipboard; what came of it is said for a moment. */
function useCopy(text: string): { readonly said: string | null; readonly copy: () => void } {
  const [said, setSaid] = useState<string | null>(null);
  useEffect(() => {
    if (said === null) return undefined;
    const timer = setTimeout(() => setSaid(null), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [said]);
  const copy = (): void => {
    navigator.clipboard.writeText(text).then(
      () => setSaid(COPIED),
      () => setSaid('Copy it manually'),
    );
  };
  return { said, copy };
}

function Said({ text }: { readonly text: string | null }): JSX.Element {
  return (
    <span aria-live="polite" className="sr-only">
      {text}
    </span>
  );
}

export interface CopyButtonProps extends ButtonProps {
  readonly text: string;
  readonly label?: string;
  /** On phones it is drawn as a picture alone. */
  readonly isTight?: boolean;
}

/** Puts a text on the clipboard and says so. */
export function CopyButton({ text, label = 'Copy', isTight = false, ...button }: CopyButtonProps): JSX.Element {
  const { said, copy } = useCopy(text);
  return (
    <>
      <Button {...button} icon={said === COPIED ? 'check' : 'copy'} onClick={copy}>
        <span className={isTight ? 'max-sm:sr-only' : undefined}>{said ?? label}</span>
      </Button>
      <Said text={said} />
    </>
  );
}

/** The same in little space, for lists. */
export function CopyIcon({ text }: { readonly text: string }): JSX.Element {
  const { said, copy } = useCopy(text);
  return (
    <>
      <Tooltip text={said ?? 'Copy'}>
        <button
          type="button"
          aria-label={`Copy ${text}`}
          onClick={copy}
          className="grid size-7 shrink-0 place-items-center rounded-md text-muted transition-colors hover:bg-sunken hover:text-ink pointer-coarse:size-11"
        >
          <Icon name={said === COPIED ? 'check' : 'copy'} className={`size-3.5 ${said === COPIED ? 'text-good' : ''}`} />
        </button>
      </Tooltip>
      <Said text={said} />
    </>
  );
}
