import type { AdapterView, AnswerPair } from '@slipway/contracts';
import { type JSX, useState } from 'react';
import { useCall } from '../api/use-call.js';
import { plural } from '../format/number.js';
import { useMayChange } from '../session/use-session.js';
import { Button } from '../ui/button.js';
import { Chip } from '../ui/chip.js';
import { Loaded } from '../ui/loaded.js';
import { Panel } from '../ui/page.js';
import { Segmented } from '../ui/segmented.js';
import { type DiffPiece, diffAnswers } from './adapter-words.js';

/** Pairs that are shown at first, and with each click more. */
const STEP = 10;

type Kind = 'all' | 'trained' | 'keep';

const KINDS: readonly { readonly value: Kind; readonly label: string }[] = [
  { value: 'trained', label: 'Data set' },
  { value: 'keep', label: 'Keep set' },
  { value: 'all', label: 'All' },
];

/** Answers of the base beside those of the adapter, the worst first, with their differences marked. For members. */
export function AnswerPairs({ adapter }: { readonly adapter: AdapterView }): JSX.Element | null {
  const mayRead = useMayChange();
  const found = useCall('adapters/answers', { adapter: adapter.id }, { enabled: mayRead, staleMs: 60_000 });
  if (!mayRead) return null;
  return (
    <Panel
      title="Before and after"
      about="Prompts of the data set, and of the keep set, whose answers must not change. The worst come first."
    >
      <Loaded query={found} what="Answers" shape="text" rows={6}>
        {({ pairs }) => <Pairs pairs={pairs} />}
      </Loaded>
    </Panel>
  );
}

function Pairs({ pairs }: { readonly pairs: readonly AnswerPair[] }): JSX.Element {
  const [kind, setKind] = useState<Kind>(() => (pairs.some(({ keep }) => !keep) ? 'trained' : 'all'));
  const [count, setCount] = useState(STEP);
  if (pairs.length === 0) return <p className="text-muted">No answers were stored with this adapter.</p>;
  const shown = pairs.filter(({ keep }) => kind === 'all' || keep === (kind === 'keep'));
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <Segmented label="Answers shown" choices={KINDS} value={kind} onChange={setKind} />
        <span className="text-sm text-muted">{plural(shown.length, 'answer')}</span>
      </div>
      <ol aria-label="Answers" className="grid grid-cols-[minmax(0,1fr)] gap-4">
        {shown.slice(0, count).map((pair, at) => (
          <Pair key={at} pair={pair} />
        ))}
      </ol>
      {shown.length > count && (
        <Button className="justify-self-center" onClick={() => setCount(count + STEP)}>
          Show more
        </Button>
      )}
    </div>
  );
}

function Pair({ pair: { prompt, expected, base, adapter, degenerate, keep } }: { readonly pair: AnswerPair }): JSX.Element {
  const [before, after] = diffAnswers(base, adapter);
  return (
    <li className="grid grid-cols-[minmax(0,1fr)] gap-2 rounded-lg border border-line p-3">
      <div className="flex flex-wrap items-start justify-between gap-2">
        <p className="min-w-0 flex-1 basis-60 text-sm font-medium wrap-anywhere whitespace-pre-wrap">{prompt}</p>
        <span className="flex gap-1.5">
          {keep && <Chip text="Keep set" />}
          {degenerate && <Chip text="Degenerate" />}
          {expected !== null && adapter.trim() === expected.trim() && <Chip text="As expected" />}
        </span>
      </div>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-3 sm:grid-cols-2">
        <Answer label="Base" pieces={before} />
        <Answer label="Adapter" pieces={after} />
      </div>
      {expected !== null && (
        <p className="text-xs text-muted wrap-anywhere whitespace-pre-wrap">
          {keep ? 'Should stay: ' : 'Expected: '}
          {expected}
        </p>
      )}
    </li>
  );
}

function Answer({ label, pieces }: { readonly label: string; readonly pieces: readonly DiffPiece[] }): JSX.Element {
  return (
    <div className="min-w-0 rounded-md bg-sunken px-3 py-2">
      <span className="block text-xs text-muted">{label}</span>
      <p className="text-sm wrap-anywhere whitespace-pre-wrap">
        {pieces.length === 0 && <span className="text-muted">(empty)</span>}
        {pieces.map(({ text, isChanged }, at) =>
          isChanged ? (
            <mark key={at} className="rounded-sm bg-accent-soft text-ink underline decoration-accent decoration-2 underline-offset-2">
              {text}
            </mark>
          ) : (
            <span key={at}>{text}</span>
          ),
        )}
      </p>
    </div>
  );
}
