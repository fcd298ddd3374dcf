import { Link } from '@tanstack/react-router';
import type { JSX } from 'react';
import { useAccount } from '../session/use-session.js';
import { buttonClass } from '../ui/button.js';
import { EmptyState } from '../ui/empty-state.js';
import { Page } from '../ui/page.js';

/** Where evaluations will be. */
export function EvaluationsScreen(): JSX.Element {
  const { slug: account } = useAccount();
  return (
    <Page title="Evaluations">
      <EmptyState
        title="Not in this release"
        icon="evaluate"
        action={
          <Link to="/$account/playground" params={{ account }} className={buttonClass('plain')}>
            Compare in the playground
          </Link>
        }
      >
        Evaluations will compare deployments by their answers to a data set. Until then, each adapter has a verdict, and the playground
        compares two deployments.
      </EmptyState>
    </Page>
  );
}
