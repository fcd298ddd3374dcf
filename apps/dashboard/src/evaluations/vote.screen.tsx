import type { BlindPair } from '@slipway/contracts';
import { Link, useParams } from '@tanstack/react-router';
import { type JSX, useEffect, useState } from 'react';
import { codeOf, messageOf } from '../api/console-error.js';
import { useCall, useChange } from '../api/use-call.js';
import { useAccount, useMayChange } from '../session/use-session.js';
import { Missing } from '../shell/faults.js';
import { Button, buttonClass } from '../ui/button.js';
import { EmptyState } from '../ui/empty-state.js';
import { Kbd } from '../ui/kbd.js';
import { Loaded } from '../ui/loaded.js';
import { Notice } from '../ui/notice.js';
import { Page } from '../ui/page.js';

type Choice = 'left' | 'tie' | 'right';

const CHOICES: readonly { readonly value: Choice; readonly label: string; readonly key: string }[] = [
  { value: 'left', label: 'Left is better', key: '1' },
  { value: 'tie', label: 'Neither', key: '2' },
  { value: 'right', label: 'Right is better', key: '3' },
];

/** Votes on pairs of answers without saying whose they are. */
export function VoteScreen(): JSX.Element {
  const { id } = useParams({ from: '/inside/$account/evaluations/$id/vote' });
  const { slug: account } = useAccount();
  const mayVote = useMayChange();
  if (!/^[1-9]\d{0,9}$/.test(id)) return <Missing />;
  return (
    <Page
      title="Vote blind"
      about="One answer is the baseline’s, the other one a deployment’s. The sides change from item to item."
      actions={
        <Link to="/$account/evaluations/$id" params={{ account, id }} className={buttonClass('plain')}>
          Results
        </Link>
      }
    >
      {mayVote ? (
        <Booth id={Number(id)} />
      ) : (
        <EmptyState title="Viewers cannot vote" icon="lock">
          Ask an owner of the account for another role.
        </EmptyState>
      )}
    </Page>
  );
}

function Booth({ id }: { readonly id: number }): JSX.Element {
  const found = useCall('evaluations/pairs', { evaluation: id, limit: 1 });
  if (codeOf(found.error) === 'evaluation_not_found') return <Missing />;
  return (
    <Loaded query={found} what="Pair" shape="text" rows={6}>
      {({ pairs, voted, left }) => (
        <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
          <p role="status" className="text-sm text-muted tabular-nums">
            {voted} voted, {left} left
          </p>
          {pairs[0] ? (
            <Pair key={`${pairs[0].n}/${pairs[0].deployment}`} id={id} pair={pairs[0]} />
          ) : (
            <EmptyState title="Nothing is left to vote on" icon="check">
              Equal answers are not shown.
            </EmptyState>
          )}
        </div>
      )}
    </Loaded>
  );
}

function Pair({ id, pair }: { readonly id: number; readonly pair: BlindPair }): JSX.Element {
  const vote = useChange('evaluations/vote', ['evaluations/']);
  const [fault, setFault] = useState<string | null>(null);
  const { n, deployment, prompt, left, right } = pair;
  const { mutate, isPending } = vote;
  const cast = (choice: Choice): void =>
    mutate({ evaluation: id, n, deployment, choice }, { onError: (error) => setFault(messageOf(error)), onSuccess: () => setFault(null) });
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const chosen = CHOICES.find(({ key }) => key === event.key);
      const isTyping = event.target instanceof HTMLElement && event.target.closest('input, textarea, select, [role="dialog"]') !== null;
      if (!chosen || isPending || isTyping || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      mutate({ evaluation: id, n, deployment, choice: chosen.value }, { onError: (error) => setFault(messageOf(error)) });
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [mutate, isPending, id, n, deployment]);
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <p className="font-medium wrap-anywhere whitespace-pre-wrap">{prompt}</p>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4 md:grid-cols-2">
        <Side title="Left" text={left} />
        <Side title="Right" text={right} />
      </div>
      {fault !== null && <Notice look="bad">{fault}</Notice>}
      <div className="flex flex-wrap gap-2">
        {CHOICES.map(({ value, label, key }) => (
          <Button key={value} disabled={isPending} onClick={() => cast(value)}>
            {label} <Kbd keys={key} />
          </Button>
        ))}
      </div>
    </div>
  );
}

function Side({ title, text }: { readonly title: string; readonly text: string }): JSX.Element {
  return (
    <section aria-label={title} className="grid content-start gap-1 rounded-lg border border-line bg-surface p-4">
      <h2 className="text-sm font-semibold text-muted">{title}</h2>
      <p className="wrap-anywhere whitespace-pre-wrap">{text === '' ? '(empty)' : text}</p>
    </section>
  );
}
