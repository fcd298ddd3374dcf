import { Link } from '@tanstack/react-router';
import type { JSX } from 'react';

/** The name of the product; it leads to the first page. */
export function Logo({ collapsed = false }: { readonly collapsed?: boolean }): JSX.Element {
  return (
    <Link
      to="/"
      className="inline-flex h-9 items-center gap-2.5 justify-self-start rounded-md px-1.5 text-base font-semibold tracking-tight"
    >
      <img src="/favicon.svg" alt="" width="24" height="24" />
      <span className={collapsed ? 'sr-only' : ''}>Slipway</span>
    </Link>
  );
}
