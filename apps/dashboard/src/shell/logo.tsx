import type { JSX } from 'react';

export function Logo(): JSX.Element {
  return (
    <span className="inline-flex items-center gap-2.5 text-lg font-semibold tracking-tight">
      <img src="/favicon.svg" alt="" width="28" height="28" />
      Slipway
    </span>
  );
}
