import type { JobSample, JobView } from '@slipway/contracts';
import { type JSX, useState } from 'react';
import { useCall } from '../api/use-call.js';
import { formatCount } from '../format/number.js';
import { useMayChange } from '../session/use-session.js';
import { EmptyState } from '../ui/empty-state.js';
import { Icon } from '../ui/icon.js';
import { Loaded } from '../ui/loaded.js';
import { Panel } from '../ui/page.js';
import { isOver } from './job-words.js';
import { LOOK_EVERY_MS } from './use-jobs.js';

/** What each checkpoint answers to the same prompts, beside what the data set expects. */
export function AnswersTab({ job }: { readonly job: JobView }): JSX.Element {
  const mayRead = useMayChange();
  const found = useCall(
    'jobs/samples',
    { job: job.id },
    { enabled: mayRead, every: () => (isOver(job) ? false : LOOK_EVERY_MS.running * 2) },
  );
  if (!mayRead) {
    return (
      <EmptyState title="Answers are for members" icon="lock">
        Viewers see states, figures and verdicts. Ask an owner of the account for another role.
      </EmptyState>
    );
  }
  return (
    <Loaded query={found} what="Answers" shape="text" rows={6}>
      {({ samples }) =>
        samples.length === 0 ? (
          <EmptyState title="No answers yet" icon="chat">
            Three prompts of the data set are answered by the base first, then by each checkpoint.
          </EmptyState>
        ) : (
          <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
            {byPrompt(samples).map((ofPrompt) => (
              <Prompt key={ofPrompt[0]?.prompt_no} samples={ofPrompt} />
            ))}
          </div>
        )
      }
    </Loaded>
  );
}

/** The samples of each prompt by step, newest first. */
function byPrompt(samples: readonly JobSample[]): readonly (readonly JobSample[])[] {
  const numbers = [...new Set(samples.map(({ prompt_no: no }) => no))].toSorted((a, b) => a - b);
  return numbers.map((no) => samples.filter(({ prompt_no: of }) => of === no).toSorted((a, b) => b.step - a.step));
}

function Prompt({ samples }: { readonly samples: readonly JobSample[] }): JSX.Element | null {
  const [first] = samples;
  if (!first) return null;
  return (
    <Panel title={`Prompt ${first.prompt_no + 1}`}>
      <p className="rounded-lg border border-line bg-sunken px-3 py-2 text-sm wrap-anywhere whitespace-pre-wrap">{first.prompt}</p>
      <dl className="grid grid-cols-[minmax(0,1fr)] gap-x-4 gap-y-2 text-sm sm:grid-cols-[8rem_minmax(0,1fr)]">
        <dt className="text-muted">Expected</dt>
        <dd className="wrap-anywhere whitespace-pre-wrap">{first.expected}</dd>
        {sameInRow(samples).map(({ first: begin, last: end, answer }) => (
          <Answer key={end} label={stepsText(begin, end)} text={answer} isRight={answer.trim() === first.expected.trim()} />
        ))}
      </dl>
    </Panel>
  );
}

/** Steps after each other that answered alike. */
interface SameAnswers {
  readonly first: number;
  readonly last: number;
  readonly answer: string;
}

/** The answers of a prompt, newest first; those that did not change from one checkpoint to the next are one. */
function sameInRow(newestFirst: readonly JobSample[]): readonly SameAnswers[] {
  const rows: SameAnswers[] = [];
  for (const { step, answer } of newestFirst) {
    const before = rows.at(-1);
    // The base stands alone, since it is what the others are compared with.
    if (before?.answer === answer && step > 0) rows[rows.length - 1] = { ...before, first: step };
    else rows.push({ first: step, last: step, answer });
  }
  return rows;
}

function stepsText(first: number, last: number): string {
  if (last === 0) return 'Base';
  return first === last ? `Step ${formatCount(last)}` : `Steps ${formatCount(first)} to ${formatCount(last)}`;
}

/** Characters of an answer that are shown at first. */
const SHORT = 240;

interface AnswerProps {
  readonly label: string;
  readonly text: string;
  /** It is what the data set expects. */
  readonly isRight: boolean;
}

function Answer({ label, text, isRight }: AnswerProps): JSX.Element {
  const [isWhole, setWhole] = useState(false);
  const isCut = text.length > SHORT && !isWhole;
  return (
    <>
      <dt className="text-muted">{label}</dt>
      <dd className="wrap-anywhere whitespace-pre-wrap">
        {text === '' && <span className="text-muted">(empty)</span>}
        {isCut ? `${text.slice(0, SHORT)}…` : text}
        {isCut && (
          <button type="button" className="ml-2 text-accent underline" onClick={() => setWhole(true)}>
            Show all {formatCount(text.length)} characters
          </button>
        )}
        {isRight && (
          <>
            <Icon name="good" className="ml-1.5 inline size-4 align-text-bottom text-good" />
            <span className="sr-only">as expected</span>
          </>
        )}
      </dd>
    </>
  );
}
