import type { JSX, ReactNode } from 'react';
import { Icon } from './icon.js';

export type StepState = 'done' | 'current' | 'ahead' | 'failed';

export interface Step {
  readonly title: string;
  readonly state: StepState;
  /** What was chosen, or what is wrong. */
  readonly text?: ReactNode;
  /** Goes there; absent: it cannot be opened yet. */
  readonly onOpen?: (() => void) | undefined;
}

const WORDS: Readonly<Record<StepState, string>> = { done: 'done', current: 'current', ahead: 'not yet', failed: 'needs attention' };
const MARKS: Readonly<Record<StepState, string>> = {
  done: 'border-accent bg-accent text-on-accent',
  current: 'border-accent text-accent',
  ahead: 'border-rim text-muted',
  failed: 'border-bad bg-bad-soft text-bad',
};

/** Steps of one piece of work, below each other; on phones in a row. */
export function Stepper({ label, steps }: { readonly label: string; readonly steps: readonly Step[] }): JSX.Element {
  return (
    <ol aria-label={label} className="grid gap-0 max-md:grid-flow-col max-md:auto-cols-fr max-md:gap-2">
      {steps.map((step, at) => (
        <li
          key={step.title}
          aria-current={step.state === 'current' ? 'step' : undefined}
          className="relative grid grid-cols-[1.5rem_minmax(0,1fr)] gap-x-3 pb-5 last:pb-0 max-md:grid-cols-[minmax(0,1fr)] max-md:pb-0"
        >
          {at < steps.length - 1 && <span aria-hidden="true" className="absolute top-7 bottom-1 left-3 w-px bg-line max-md:hidden" />}
          <span
            aria-hidden="true"
            className={`grid size-6 place-items-center rounded-full border text-xs font-medium tabular-nums ${MARKS[step.state]}`}
          >
            <Mark state={step.state} number={at + 1} />
          </span>
          <div className="min-w-0 pt-0.5">
            <Title step={step} />
            {step.text !== undefined && (
              <div className={`text-xs max-md:hidden ${step.state === 'failed' ? 'text-bad' : 'text-muted'}`}>{step.text}</div>
            )}
          </div>
        </li>
      ))}
    </ol>
  );
}

function Mark({ state, number }: { readonly state: StepState; readonly number: number }): JSX.Element {
  if (state === 'done') return <Icon name="check" className="size-3.5" />;
  if (state === 'failed') return <Icon name="close" className="size-3.5" />;
  return <>{number}</>;
}

function Title({ step: { title, state, onOpen } }: { readonly step: Step }): JSX.Element {
  const look = `text-sm ${state === 'ahead' ? 'text-muted' : 'font-medium'}`;
  const words = (
    <>
      {title}
      <span className="sr-only">: {WORDS[state]}</span>
    </>
  );
  if (!onOpen) return <span className={look}>{words}</span>;
  return (
    <button type="button" onClick={onOpen} className={`rounded-sm text-left hover:underline ${look}`}>
      {words}
    </button>
  );
}
