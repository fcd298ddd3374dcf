import { type JSX, useEffect, useState } from 'react';
import { Button, type ButtonProps } from './button.js';

const SHOWN_MS = 2_500;

/** Puts a text on the clipboard and says so. */
export function CopyButton({
  text,
  label = 'Copy',
  ...button
}: ButtonProps & { readonly text: string; readonly label?: string }): JSX.Element {
  const [said, setSaid] = useState<string | null>(null);
  useEffect(() => {
    if (said === null) return undefined;
    const timer = setTimeout(() => setSaid(null), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [said]);
  const copy = (): void => {
    navigator.clipboard.writeText(text).then(
      () => setSaid('Copied'),
      () => setSaid('Select and copy it by hand'),
    );
  };
  return (
    <>
      <Button {...button} icon={said === 'Copied' ? 'check' : 'copy'} onClick={copy}>
        {said ?? label}
      </Button>
      <span aria-live="polite" className="sr-only">
        {said}
      </span>
    </>
  );
}
