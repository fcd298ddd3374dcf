import { Link } from '@tanstack/react-router';
import type { JSX } from 'react';

/** The name of the product; it leads to the first page. */
export function Logo(): JSX.Element {
  return (
    <Link to="/" className="inline-flex items-center gap-2.5 justify-self-start rounded-md text-lg font-semibold tracking-tight">
      <img src="/favicon.svg" alt="" width="28" height="28" />
      Slipway
    </Link>
  );
}
