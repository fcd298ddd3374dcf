import { Link, useRouter } from '@tanstack/react-router';
import type { JSX } from 'react';
import { messageOf } from '../api/console-error.js';
import { Button } from '../ui/button.js';
import { Notice } from '../ui/notice.js';
import { Empty, Page } from '../ui/page.js';

/** An address that leads nowhere. */
export function Missing(): JSX.Element {
  return (
    <Page title="Not found">
      <Empty
        title="There is nothing at this address."
        action={
          <Link to="/deployments" className="underline text-accent">
            Go to your deployments
          </Link>
        }
      >
        It may have been deleted, or the address is not complete.
      </Empty>
    </Page>
  );
}

/** A page that could not be drawn. */
export function Broken({ error }: { readonly error: unknown }): JSX.Element {
  const router = useRouter();
  return (
    <Page title="Not available">
      <Notice look="bad" action={<Button onClick={() => void router.invalidate()}>Try again</Button>}>
        {messageOf(error)}
      </Notice>
    </Page>
  );
}
