import { Link, useRouter } from '@tanstack/react-router';
import { type JSX, useEffect, useState } from 'react';
import { ConsoleError, messageOf } from '../api/console-error.js';
import { useAccount } from '../session/use-session.js';
import { Button } from '../ui/button.js';
import { Notice } from '../ui/notice.js';
import { Empty, Page } from '../ui/page.js';

/** How often a page that could not be drawn is tried again, in milliseconds. */
const AGAIN_MS = 5_000;

/** An address that leads nowhere. */
export function Missing(): JSX.Element {
  const { slug: account } = useAccount();
  return (
    <Page title="Not found">
      <Empty
        title="This page does not exist."
        action={
          <Link to="/$account/deployments" params={{ account }} className="underline text-accent">
            Go to your deployments
          </Link>
        }
      >
        It may have been deleted, or the address is incomplete.
      </Empty>
    </Page>
  );
}

/** A page that could not be drawn. It is tried again by itself where that may help. */
export function Broken({ error }: { readonly error: unknown }): JSX.Element {
  const router = useRouter();
  const [busy, setBusy] = useState(false);
  const again = (): void => {
    setBusy(true);
    void router.invalidate().finally(() => setBusy(false));
  };
  const isPassing = error instanceof ConsoleError && error.isPassing;
  useEffect(() => {
    if (!isPassing) return undefined;
    const timer = setInterval(() => void router.invalidate(), AGAIN_MS);
    return () => clearInterval(timer);
  }, [isPassing, router]);
  return (
    <Page title="Not available">
      <Notice
        look="bad"
        action={
          <Button busy={busy} onClick={again}>
            Try again
          </Button>
        }
      >
        {messageOf(error)}
        {isPassing && ' Retrying every 5 seconds.'}
      </Notice>
    </Page>
  );
}
