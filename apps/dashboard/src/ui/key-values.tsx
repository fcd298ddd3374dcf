import { Fragment, type JSX, type ReactNode } from 'react';

/** Facts of one thing: what, and its value. null and false leave one out. */
export function KeyValues({ facts }: { readonly facts: readonly (readonly [string, ReactNode] | null | false)[] }): JSX.Element {
  return (
    <dl className="grid gap-x-6 gap-y-2 sm:grid-cols-[minmax(8rem,auto)_minmax(0,1fr)]">
      {facts.map(
        (fact) =>
          fact && (
            <Fragment key={fact[0]}>
              <dt className="text-muted max-sm:-mb-2">{fact[0]}</dt>
              <dd className="min-w-0 wrap-anywhere">{fact[1]}</dd>
            </Fragment>
          ),
      )}
    </dl>
  );
}
