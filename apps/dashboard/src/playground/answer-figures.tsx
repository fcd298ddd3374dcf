import { Link } from '@tanstack/react-router';
import type { JSX, ReactNode } from 'react';
import { formatCount } from '../format/number.js';
import { useAccount } from '../session/use-session.js';
import { CopyIcon } from '../ui/copy-button.js';
import type { Answer } from './conversation.js';
import type { Exchange } from './exchange.js';
import { figuresOf, formatMs } from './figures.js';

/** Figures of an answer in one line, and the id by which its request is found. */
export function AnswerFigures({ exchange: { answer, times, requestId } }: { readonly exchange: Exchange }): JSX.Element {
  const { ttftMs, tokensPerS, isEstimate } = figuresOf(times, answer);
  const figures = [
    ttftMs !== null && (['TTFT', formatMs(ttftMs)] as const),
    tokensPerS !== null && (['Speed', `${isEstimate ? '~' : ''}${tokensPerS.toFixed(1)} tok/s`] as const),
    ...tokensOf(answer),
    answer.finish !== null && (['Finish reason', answer.finish] as const),
    requestId !== null && (['Request', <RequestId key="id" id={requestId} />] as const),
  ].filter((figure) => figure !== false);
  return (
    <dl aria-label="Figures of this answer" className="flex min-h-11 flex-wrap gap-x-6 gap-y-2">
      {figures.map(([name, value]) => (
        <div key={name} className="grid min-w-0 grid-rows-[auto_1.75rem]">
          <dt className="text-xs text-muted">{name}</dt>
          <dd className="flex min-w-0 items-center text-sm font-medium tabular-nums">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function RequestId({ id }: { readonly id: string }): JSX.Element {
  const { slug: account } = useAccount();
  return (
    <>
      <Link
        to="/$account/requests/$id"
        params={{ account, id }}
        className="min-w-0 truncate font-mono text-code text-accent hover:underline"
      >
        {id}
      </Link>
      <CopyIcon text={id} />
    </>
  );
}

/** What the model counted; the prompt alone is known before the end. */
function tokensOf({ usage, isWhole }: Answer): (readonly [string, ReactNode])[] {
  if (usage === null || !isWhole) return [];
  const { prompt, cached, completion } = usage;
  const reused = cached === null || cached === 0 ? '' : ` (${formatCount(cached)} cached)`;
  return [
    ['Tokens in', `${formatCount(prompt)}${reused}`],
    ['Tokens out', formatCount(completion)],
  ];
}
