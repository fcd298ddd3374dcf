import { type JSX, lazy, Suspense, useState } from 'react';
import type { InferenceTarget } from '../snippets/inference-snippets.js';
import { Button } from '../ui/button.js';
import { CodePane } from '../ui/code-pane.js';
import { CopyButton } from '../ui/copy-button.js';
import { Dialog } from '../ui/dialog.js';
import { Icon } from '../ui/icon.js';
import { Markdown } from '../ui/markdown.js';
import { Notice } from '../ui/notice.js';
import { AnswerFigures } from './answer-figures.js';
import { CodeDialog } from './code-dialog.js';
import type { ToolCall } from './conversation.js';
import { type Exchange, RAW_MAX } from './exchange.js';
import type { AnswerLook, Turn } from './workspace.js';

const AddExampleDialog = lazy(async () => ({ default: (await import('../data-sets/add-example-dialog.js')).AddExampleDialog }));

export interface AnswerViewProps {
  readonly turn: Turn;
  readonly look: AnswerLook;
  /** How programs reach the deployment that was asked; null while it is not known. */
  readonly target: InferenceTarget | null;
  readonly onStop: () => void;
  /** Absent where a later question stands on this answer. */
  readonly onRetry?: (() => void) | undefined;
}

/** A question and its answer as far as it came, with figures and actions. */
export function AnswerView({ turn, look, target, onStop, onRetry }: AnswerViewProps): JSX.Element {
  const { ask, exchange } = turn;
  const isRunning = exchange.status === 'running';
  return (
    <article className="grid grid-cols-[minmax(0,1fr)] gap-4" aria-busy={isRunning}>
      <QuestionView text={ask.question.text} results={ask.question.results} />
      <div className="grid grid-cols-[minmax(0,1fr)] gap-3 rounded-lg border border-line bg-surface p-4">
        <h3 className="text-xs font-medium text-muted">{target?.model ?? ask.model}</h3>
        <AnswerText exchange={exchange} look={look} />
        <div className="grid gap-2 border-t border-line pt-3">
          <AnswerFigures exchange={exchange} />
          <AnswerButtons {...{ turn, target, onStop, onRetry }} />
        </div>
      </div>
    </article>
  );
}

function AnswerButtons({ turn: { ask, exchange }, target, onStop, onRetry }: Omit<AnswerViewProps, 'look'>): JSX.Element {
  const [shown, setShown] = useState<'code' | 'raw' | null>(null);
  const isRunning = exchange.status === 'running';
  return (
    <div className="-ml-3 flex flex-wrap gap-1">
      {isRunning && (
        <Button look="quiet" icon="stop" onClick={onStop}>
          Stop this answer
        </Button>
      )}
      {!isRunning && onRetry && (
        <Button look="quiet" icon="refresh" onClick={onRetry}>
          Retry
        </Button>
      )}
      {exchange.answer.text !== '' && <CopyButton look="quiet" text={exchange.answer.text} />}
      <Button look="quiet" icon="code" disabled={target === null} onClick={() => setShown('code')}>
        View code
      </Button>
      <Button look="quiet" onClick={() => setShown('raw')}>
        Raw
      </Button>
      <AddExample {...{ ask, exchange }} />
      {shown === 'code' && target && <CodeDialog {...{ ask, target }} contract={exchange.contract} onClose={() => setShown(null)} />}
      {shown === 'raw' && <RawDialog exchange={exchange} onClose={() => setShown(null)} />}
    </div>
  );
}

/** Offers an answer to what models learn from. */
function AddExample({ ask, exchange }: Pick<Turn, 'ask' | 'exchange'>): JSX.Element | null {
  const [isOpen, setOpen] = useState(false);
  const [user, assistant] = [ask.question.text, exchange.answer.text];
  if (exchange.status === 'running' || user === '' || assistant === '') return null;
  return (
    <>
      <Button look="quiet" icon="data" onClick={() => setOpen(true)}>
        Add to data set
      </Button>
      {isOpen && (
        <Suspense>
          <AddExampleDialog example={{ system: ask.wishes.system ?? '', user, assistant }} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}

function QuestionView({ text, results }: Turn['ask']['question']): JSX.Element {
  return (
    <div className="ml-6 grid justify-items-end gap-2 sm:ml-12">
      {results.map(({ id, text: result }) => (
        <div
          key={id}
          className="max-w-full rounded-lg border border-line bg-sunken px-3 py-2 font-mono text-code wrap-anywhere whitespace-pre-wrap"
        >
          <span className="block font-sans text-xs text-muted">Result of {id}</span>
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

interface AnswerTextProps {
  readonly exchange: Exchange;
  readonly look: AnswerLook;
}

function AnswerText({ exchange, look }: AnswerTextProps): JSX.Element {
  const { text, reasoning, calls } = exchange.answer;
  const isRunning = exchange.status === 'running';
  return (
    <>
      {reasoning !== '' && <Reasoning text={reasoning} isOpen={isRunning && text === ''} />}
      {text !== '' && (look === 'markdown' ? <Markdown text={text} /> : <p className="wrap-anywhere whitespace-pre-wrap">{text}</p>)}
      {calls.map((call, index) => (
        <CallView key={index} call={call} />
      ))}
      <Standing exchange={exchange} />
    </>
  );
}

/** How far the answer is, where its text does not say it. */
function Standing({ exchange: { answer, status, failure } }: Pick<AnswerTextProps, 'exchange'>): JSX.Element | null {
  const isEmpty = answer.text === '' && answer.reasoning === '' && answer.calls.length === 0;
  if (failure !== null) return <Notice look="bad">{failure}</Notice>;
  if (status === 'stopped') return <p className="text-sm text-muted">Stopped</p>;
  if (!isEmpty) return null;
  if (status === 'done') return <p className="text-muted">The answer is empty.</p>;
  return (
    <p className="flex items-center gap-2 text-muted">
      <Icon name="spinner" className="size-4 animate-spin" />
      Waiting for the first token
    </p>
  );
}

/** Open while there is nothing else to read, until somebody opens or closes it. */
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
      <pre className="pt-1 font-mono text-code wrap-anywhere whitespace-pre-wrap">{args}</pre>
    </div>
  );
}

/** What went to the gateway and what came back. */
function RawDialog({ exchange, onClose }: { readonly exchange: Exchange; readonly onClose: () => void }): JSX.Element {
  const [shown, setShown] = useState<'request' | 'response'>('response');
  const { body, raw, failure } = exchange;
  return (
    <Dialog title="Raw request and response" wide onClose={onClose}>
      <CodePane
        label="Raw"
        value={shown}
        onChange={setShown}
        tabs={[
          { value: 'response', label: 'Response', text: raw === '' ? (failure ?? 'No bytes were kept.') : raw },
          { value: 'request', label: 'Request body', language: 'json', text: JSON.stringify(body, null, 2) },
        ]}
      />
      {raw.length >= RAW_MAX && <p className="text-sm text-muted">Cut off after {RAW_MAX / 1_000} kB.</p>}
    </Dialog>
  );
}
