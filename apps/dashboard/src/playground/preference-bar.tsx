import { type JSX, lazy, Suspense, useState } from 'react';
import { Button } from '../ui/button.js';
import { type ComparedTurn, pairOf, type Side } from './answer-pair.js';

const AddExampleDialog = lazy(async () => ({ default: (await import('../data-sets/add-example-dialog.js')).AddExampleDialog }));

interface PreferenceBarProps {
  /** The newest turns of both conversations. */
  readonly turns: readonly [ComparedTurn | undefined, ComparedTurn | undefined];
}

/** Offers two answers to one question as a pair that training can prefer by; nothing until both are there. */
export function PreferenceBar({ turns: [first, second] }: PreferenceBarProps): JSX.Element | null {
  const [better, setBetter] = useState<Side | null>(null);
  if (pairOf(first, second, 'first') === null) return null;
  const pair = better && pairOf(first, second, better);
  return (
    <div
      role="group"
      aria-label="Which answer is better"
      className="flex flex-wrap items-center gap-2 rounded-lg border border-line p-3 text-sm"
    >
      <span className="text-muted">Add both answers to a preference data set:</span>
      <Button icon="data" onClick={() => setBetter('first')}>
        First is better
      </Button>
      <Button icon="data" onClick={() => setBetter('second')}>
        Second is better
      </Button>
      {pair && (
        <Suspense>
          <AddExampleDialog example={pair} onClose={() => setBetter(null)} />
        </Suspense>
      )}
    </div>
  );
}
