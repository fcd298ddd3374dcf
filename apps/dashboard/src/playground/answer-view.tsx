import { type JSX, useState } from 'react';
import { formatCount } from '../format/number.js';
import { Button } from '../ui/button.js';
import { Icon } from '../ui/icon.js';
import { Notice } from '../ui/notice.js';
import { CodeDialog } from './code-dialog.js';
import type { Answer, ToolCall } from './conversation.js';
import type { Exchange } from './exchange.js';
import { figuresOf, formatMs } from './figures.js';
import { RawDialog } from './raw-dialog.js';
import type { Turn } from './use-lane.js';

export interface AnswerViewProps {
  readonly turn: Turn;
  readonly onStop: () => void;
  /** Absent where a later question stands on this answer. */
  readonly onRetry?: (() => void) | undefined;
}

/** A question, its answer as far as it came, and what can be told of it. */
export function AnswerView({ turn, onStop, onRetry }: AnswerViewProps): JSX.Element {
  const { ask, exchange } = turn;
  const [shown, setShown] = useState<'code' | 'raw' | null>(null);
  const isRunning = exchange.status === 'running';
  return (
    <article className="grid grid-cols-[minmax(0,1fr)] gap-3" aria-busy={isRunning}>
      <QuestionView text={ask.question.text} results={ask.question.results} />
      <div className="grid grid-cols-[minmax(0,1fr)] gap-2 rounded-lg border border-line bg-surface p-3">
        <h3 className="text-sm font-medium text-muted">{ask.model}</h3>
        <AnswerText exchange={exchange} />
        <FiguresLine exchange={exchange} />
        <div className="-ml-3 flex flex-wrap gap-1">
          {isRunning && (
            <Button look="quiet" icon="stop" onClick={onStop}>
              Stop this answer
            </Button>
          )}
          {!isRunning && onRetry && (
            <Button look="quiet" onClick={onRetry}>
              Retry
            </Button>
          )}
          <Button look="quiet" icon="code" onClick={() => setShown('code')}>
            View code
          </Button>
          <Button look="quiet" onClick={() => setShown('raw')}>
            Raw
          </Button>
        </div>
      </div>
      {shown === 'code' && <CodeDialog ask={ask} contract={exchange.contract} onClose={() => setShown(null)} />}
      {shown === 'raw' && <RawDialog exchange={exchange} onClose={() => setShown(null)} />}
    </article>
  );
}

function QuestionView({ text, results }: Turn['ask']['question']): JSX.Element {
  return (
    <div className="ml-6 grid justify-items-end gap-2 sm:ml-12">
      {results.map(({ id, text: result }) => (
        <div
          key={id}
          className="max-w-full rounded-lg border border-line bg-sunken px-3 py-2 font-mono text-sm wrap-anywhere whitespace-pre-wrap"
        >
          <span className="block font-sans text-muted">Result of {id}</span>
          {result}
        </div>
      ))}
      {text !== '' && (
        <p className="max-w-full rounded-lg bg-accent-soft px-3 py-2 wrap-anywhere whitespace-pre-wrap">
          <span className="sr-only">You: </span>
          {text}
        </p>
      )}
    </div>
  );
}

function AnswerText({ exchange: { answer, status, failure } }: { readonly exchange: Exchange }): JSX.Element {
  const { text, reasoning, calls } = answer;
  const isRunning = status === 'running';
  const isEmpty = text === '' && reasoning === '' && calls.length === 0;
  return (
    <>
      {reasoning !== '' && <Reasoning text={reasoning} isOpen={isRunning && text === ''} />}
      {text !== '' && <p className="wrap-anywhere whitespace-pre-wrap">{text}</p>}
      {calls.map((call, index) => (
        <CallView key={index} call={call} />
      ))}
      {isRunning && isEmpty && (
        <p className="flex items-center gap-2 text-muted">
          <Icon name="spinner" className="size-4 animate-spin" />
          Waiting for the first token
        </p>
      )}
      {status === 'done' && isEmpty && <p className="text-muted">The model said nothing.</p>}
      {status === 'stopped' && <p className="text-sm text-muted">Stopped by you.</p>}
      {failure !== null && <Notice look="bad">{failure}</Notice>}
    </>
  );
}

/** Open while nothing else is there to read, unless somebody chose. */
function Reasoning({ text, isOpen }: { readonly text: string; readonly isOpen: boolean }): JSX.Element {
  const [chosen, setChosen] = useState<boolean | null>(null);
  const shown = chosen ?? isOpen;
  return (
    <div className="rounded-md border border-line bg-sunken">
      <button
        type="button"
        aria-expanded={shown}
        onClick={() => setChosen(!shown)}
        className="flex w-full items-center justify-between gap-2 rounded-md px-3 py-1.5 text-sm font-medium text-muted"
      >
        Reasoning
        <Icon name="down" className={`size-4 ${shown ? 'rotate-180' : ''}`} />
      </button>
      {shown && <p className="px-3 pb-2 text-sm wrap-anywhere whitespace-pre-wrap text-muted">{text}</p>}
    </div>
  );
}

function CallView({ call: { id, name, args } }: { readonly call: ToolCall }): JSX.Element {
  return (
    <div className="rounded-md border border-line bg-sunken px-3 py-2">
      <p className="text-sm text-muted">
        Calls <code className="font-mono text-ink">{name}</code> <span className="wrap-anywhere">({id})</span>
      </p>
      <pre className="pt-1 font-mono text-sm wrap-anywhere whitespace-pre-wrap">{args}</pre>
    </div>
  );
}

function FiguresLine({ exchange: { answer, times, requestId } }: { readonly exchange: Exchange }): JSX.Element {
  const { ttftMs, tokensPerS, isEstimate } = figuresOf(times, answer);
  const figures = [
    ttftMs !== null && (['First token', formatMs(ttftMs)] as const),
    tokensPerS !== null && (['Speed', `${isEstimate ? 'about ' : ''}${tokensPerS.toFixed(1)} tokens/s`] as const),
    ...tokensOf(answer),
    answer.finish !== null && (['Ended by', answer.finish] as const),
    requestId !== null && (['Request', requestId] as const),
  ].filter((figure) => figure !== false);
  return (
    <dl className="flex min-h-5 flex-wrap gap-x-4 gap-y-0.5 text-sm text-muted tabular-nums">
      {figures.map(([name, value]) => (
        <div key={name} className="flex min-w-0 gap-1.5">
          <dt>{name}</dt>
          <dd className="min-w-0 font-medium wrap-anywhere text-ink">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** What the model counted; the prompt alone is known before the end. */
function tokensOf({ usage, isWhole }: Answer): (readonly [string, string])[] {
  if (usage === null || !isWhole) return [];
  const { prompt, cached, completion } = usage;
  const reused = cached === null || cached === 0 ? '' : ` (${formatCount(cached)} cached)`;
  return [
    ['Prompt', `${formatCount(prompt)} tokens${reused}`],
    ['Answer', `${formatCount(completion)} tokens`],
  ];
}
