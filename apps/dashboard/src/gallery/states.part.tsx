import type { JSX } from 'react';
import { ConsoleError } from '../api/console-error.js';
import { Button } from '../ui/button.js';
import { EmptyState, NothingMatches } from '../ui/empty-state.js';
import { ErrorState } from '../ui/error-state.js';
import { Notice } from '../ui/notice.js';
import { Skeleton } from '../ui/skeleton.js';
import { StaleBanner } from '../ui/stale-banner.js';
import { Example } from './example.js';
import type { Part } from './part.js';

const REFUSED = new ConsoleError('unavailable', 'The database does not answer; try again soon.', null, 'req-7f3a');
const SHAPES = ['table', 'figures', 'chart', 'form', 'text'] as const;

function Examples(): JSX.Element {
  const nothing = (): void => undefined;
  return (
    <>
      <Example title="Notices">
        <div className="grid w-full gap-2">
          <Notice look="info">You may look at keys. To create or change them, ask an owner to make you a member.</Notice>
          <Notice look="good">vLLM answers and has the model.</Notice>
          <Notice look="warn" action={<Button>Open Settings</Button>}>
            80 % of this month’s tokens are used.
          </Notice>
          <Notice look="bad">The budget of 3,000 tokens per day is used up.</Notice>
          <StaleBanner at={Date.parse('2026-11-21T14:03:07Z')} onRetry={nothing} />
        </div>
      </Example>
      <Example title="Empty">
        <div className="grid w-full gap-4 lg:grid-cols-2">
          <EmptyState
            title="No deployments yet"
            icon="box"
            docs="https://example.com/docs"
            command="npx slipway deployments create --model tiny"
            action={
              <Button look="main" icon="plus">
                Create deployment
              </Button>
            }
          >
            A deployment serves one model at an address of its own.
          </EmptyState>
          <NothingMatches onClear={nothing} />
        </div>
      </Example>
      <Example title="Failed">
        <div className="w-full">
          <ErrorState error={REFUSED} onRetry={nothing} />
        </div>
      </Example>
      {SHAPES.map((shape) => (
        <Example key={shape} title={`Loading: ${shape}`}>
          <div className="w-full">
            <Skeleton shape={shape} what="Deployments" />
          </div>
        </Example>
      ))}
    </>
  );
}

export default { title: 'States', Examples } satisfies Part;
