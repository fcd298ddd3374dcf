import { Link } from '@tanstack/react-router';
import { type JSX, useRef } from 'react';
import { CREATE_SEARCH, CREATE_STEPS, type CreateStep } from '../../searches.js';
import { useAccount, useMayChange } from '../../session/use-session.js';
import { Button, buttonClass } from '../../ui/button.js';
import { EmptyState } from '../../ui/empty-state.js';
import { Notice } from '../../ui/notice.js';
import { Page } from '../../ui/page.js';
import { Skeleton } from '../../ui/skeleton.js';
import { type Step, Stepper, type StepState } from '../../ui/stepper.js';
import { useUrlState } from '../../url-state/use-url-state.js';
import { type DraftField, type Faults, STEP_OF } from '../deployment-draft.js';
import { MemoryFit } from '../memory-fit.js';
import { ModelFields } from '../model-fields.js';
import { SizeFields } from '../size-fields.js';
import { NameStep } from './name-step.js';
import { SourceStep } from './source-step.js';
import { isOpen, STEP_TITLES, stepAfter, stepBefore } from './steps.js';
import { Summary } from './summary.js';
import { type Draft, useDraft } from './use-draft.js';
import { useSteps } from './use-steps.js';

/** Makes a deployment in four steps, each with an address of its own. */
export function CreateDeploymentScreen(): JSX.Element {
  const mayChange = useMayChange();
  const [{ like }] = useUrlState(CREATE_SEARCH);
  const draft = useDraft(like);
  return (
    <Page title="Create deployment">
      {!mayChange && <EmptyState title="Viewers cannot create deployments">Ask an owner of the account for another role.</EmptyState>}
      {mayChange && (draft.isReady ? <Steps {...draft} like={like} /> : <Skeleton shape="form" what="Settings" count={4} />)}
    </Page>
  );
}

function Steps(props: Draft & { readonly like: number }): JSX.Element {
  const form = useRef<HTMLFormElement>(null);
  const { step, named, fields, faults, creation, fit, go, submit, setLike } = useSteps(props, form);
  const refused = creation.fault?.field ?? null;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-6 md:grid-cols-[11rem_minmax(0,40rem)] xl:grid-cols-[10rem_minmax(0,40rem)_minmax(18rem,22rem)]">
      <Stepper label="Steps" steps={stepsOf({ step, faults, refused, go })} />
      <form ref={form} onSubmit={submit} noValidate className="grid grid-cols-[minmax(0,1fr)] gap-5" aria-label={STEP_TITLES[step]}>
        <h2 className="text-base font-semibold">{STEP_TITLES[step]}</h2>
        {step === 'source' && <SourceStep {...fields} like={props.like} onLike={setLike} />}
        {step === 'model' && <ModelFields {...fields} />}
        {step === 'size' && <SizeFields {...fields} />}
        {step === 'size' && props.draft.kind !== 'http' && <MemoryFit query={fit} />}
        {step === 'name' && <NameStep {...fields} />}
        {creation.fault && refused === null && <Notice look="bad">{creation.fault.message}</Notice>}
        <Buttons step={step} busy={creation.busy} onBack={go} />
      </form>
      <aside className="md:col-start-2 xl:sticky xl:top-18 xl:col-start-3">
        <Summary draft={isOpen('size', faults) ? named : props.draft} fit={fit.data} />
      </aside>
    </div>
  );
}

interface StepsOptions {
  readonly step: CreateStep;
  readonly faults: Faults;
  /** The field that the services refused. */
  readonly refused: DraftField | null;
  readonly go: (to: CreateStep) => void;
}

function stepsOf({ step, faults, refused, go }: StepsOptions): readonly Step[] {
  const here = CREATE_STEPS.indexOf(step);
  const stateOf = (one: CreateStep): StepState => {
    if (refused !== null && STEP_OF[refused] === one) return 'failed';
    if (one === step) return 'current';
    return CREATE_STEPS.indexOf(one) < here ? 'done' : 'ahead';
  };
  return CREATE_STEPS.map((one) => ({
    title: STEP_TITLES[one],
    state: stateOf(one),
    onOpen: one !== step && isOpen(one, faults) ? () => go(one) : undefined,
  }));
}

interface ButtonsProps {
  readonly step: CreateStep;
  readonly busy: boolean;
  readonly onBack: (to: CreateStep) => void;
}

function Buttons({ step, busy, onBack }: ButtonsProps): JSX.Element {
  const { slug: account } = useAccount();
  const before = stepBefore(step);
  return (
    <div className="flex flex-wrap gap-2 border-t border-line pt-4">
      {before ? (
        <Button icon="left" onClick={() => onBack(before)}>
          Back
        </Button>
      ) : (
        <Link to="/$account/deployments" params={{ account }} className={buttonClass('plain')}>
          Cancel
        </Link>
      )}
      <Button type="submit" look="main" busy={busy} className="ml-auto">
        {stepAfter(step) ? 'Continue' : 'Create deployment'}
      </Button>
    </div>
  );
}
