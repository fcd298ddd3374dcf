import { deploymentNameFor } from '@slipway/contracts/engines';
import { Link } from '@tanstack/react-router';
import { type JSX, type SyntheticEvent, useEffect, useRef, useState } from 'react';
import { CREATE_SEARCH, CREATE_STEPS, type CreateStep } from '../../searches.js';
import { useAccount, useMayChange } from '../../session/use-session.js';
import { Button, buttonClass } from '../../ui/button.js';
import { EmptyState } from '../../ui/empty-state.js';
import { Notice } from '../../ui/notice.js';
import { Page } from '../../ui/page.js';
import { Skeleton } from '../../ui/skeleton.js';
import { type Step, Stepper } from '../../ui/stepper.js';
import { useUrlState } from '../../url-state/use-url-state.js';
import { type DraftField, type Faults, faultsIn, faultsOf, sourceOf, STEP_OF } from '../deployment-draft.js';
import { MemoryFit, useFit } from '../memory-fit.js';
import { type DraftFieldsProps, ModelFields } from '../model-fields.js';
import { SizeFields } from '../size-fields.js';
import { useOptions } from '../use-options.js';
import { NameStep } from './name-step.js';
import { sourceCards, SourceStep } from './source-step.js';
import { isOpen, shownStep, STEP_TITLES, stepAfter, stepBefore } from './steps.js';
import { Summary } from './summary.js';
import { type Creation, useCreate } from './use-create.js';
import { type Draft, useDraft } from './use-draft.js';

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

/** Focuses the first field that is wrong, once it is drawn. */
const focusFault = (form: HTMLElement | null): number =>
  requestAnimationFrame(() =>
    form?.querySelector<HTMLElement>('[aria-invalid=true] input, input[aria-invalid], textarea[aria-invalid], [role=alert]')?.focus(),
  );

/** Faults to show: all of a step that somebody tried to leave, and what the services refused. */
function shownFaults(mine: Faults, { fault }: Creation, tried: boolean): Faults {
  const theirs: Faults = fault?.field == null ? {} : { [fault.field]: fault.message };
  return tried ? { ...theirs, ...mine } : theirs;
}

function Steps({ draft, change, like }: Draft & { readonly like: number }): JSX.Element {
  const [state, set] = useUrlState(CREATE_SEARCH);
  const [tried, setTried] = useState<CreateStep | null>(null);
  const form = useRef<HTMLFormElement>(null);
  const creation = useCreate();
  const fit = useFit(draft);
  // A name that nobody chose is the model's.
  const named = draft.name.trim() === '' ? { ...draft, name: deploymentNameFor(sourceOf(draft)) } : draft;
  const locked = sourceCards(useOptions()?.sources).some((card) => card.value === draft.kind && card.locked !== undefined);
  const mine: Faults = { ...faultsOf(named), ...(locked && { kind: 'Choose a source that the operator allows.' }) };
  const step = shownStep(state.step, mine);
  // A step that cannot be opened yet is left for good: it must not open by itself while somebody fills in the one before.
  useEffect(() => {
    if (state.step !== step) set({ step });
  }, [state.step, step, set]);
  const refused = creation.fault?.field ?? null;
  useEffect(() => {
    if (refused !== null && STEP_OF[refused] === step) focusFault(form.current);
  }, [refused, step]);
  const go = (to: CreateStep): void => {
    setTried(null);
    set({ step: to }, { push: true });
  };
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    const next = stepAfter(step);
    if (Object.keys(faultsIn(mine, step)).length > 0) {
      setTried(step);
      focusFault(form.current);
    } else if (next) go(next);
    else
      void creation.create(named, ({ field }) => {
        if (field !== null && STEP_OF[field] !== step) set({ step: STEP_OF[field] }, { push: true });
      });
  };
  const faults = shownFaults(mine, creation, tried === step);
  const fields: DraftFieldsProps = {
    draft,
    faults,
    onChange: (part) => {
      creation.forget();
      change(part);
    },
  };
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-6 md:grid-cols-[11rem_minmax(0,40rem)] xl:grid-cols-[10rem_minmax(0,40rem)_minmax(18rem,22rem)]">
      <Stepper label="Steps" steps={stepsOf({ step, mine, failed: refused, go })} />
      <form ref={form} onSubmit={submit} noValidate className="grid grid-cols-[minmax(0,1fr)] gap-5" aria-label={STEP_TITLES[step]}>
        <h2 className="text-base font-semibold">{STEP_TITLES[step]}</h2>
        {step === 'source' && <SourceStep {...fields} like={like} onLike={(next) => set({ like: next })} />}
        {step === 'model' && <ModelFields {...fields} />}
        {step === 'size' && (
          <>
            <SizeFields {...fields} />
            {draft.kind !== 'http' && <MemoryFit query={fit} />}
          </>
        )}
        {step === 'name' && <NameStep {...fields} />}
        {creation.fault && creation.fault.field === null && <Notice look="bad">{creation.fault.message}</Notice>}
        <Buttons step={step} busy={creation.busy} onBack={go} />
      </form>
      <aside className="md:col-start-2 xl:sticky xl:top-18 xl:col-start-3">
        <Summary draft={isOpen('size', mine) ? named : draft} fit={fit.data} />
      </aside>
    </div>
  );
}

interface StepsOptions {
  readonly step: CreateStep;
  readonly mine: Faults;
  /** The field that the services refused. */
  readonly failed: DraftField | null;
  readonly go: (to: CreateStep) => void;
}

function stepsOf({ step, mine, failed, go }: StepsOptions): readonly Step[] {
  const here = CREATE_STEPS.indexOf(step);
  return CREATE_STEPS.map((one, at) => {
    const before = at < here ? 'done' : 'ahead';
    const state = failed !== null && STEP_OF[failed] === one ? 'failed' : one === step ? 'current' : before;
    return { title: STEP_TITLES[one], state, onOpen: one !== step && isOpen(one, mine) ? () => go(one) : undefined };
  });
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
