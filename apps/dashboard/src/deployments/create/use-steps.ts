import type { UseQueryResult } from '@tanstack/react-query';
import { deploymentNameFor } from '@slipway/contracts/engines';
import { type RefObject, type SyntheticEvent, useEffect, useState } from 'react';
import { CREATE_SEARCH, type CreateStep } from '../../searches.js';
import { useUrlState } from '../../url-state/use-url-state.js';
import { type DeploymentDraft, type Faults, faultsIn, faultsOf, sourceOf, STEP_OF } from '../deployment-draft.js';
import type { DraftFieldsProps } from '../draft-text.js';
import { type Fit, fitQuestion, useFit } from '../memory-fit.js';
import { useOptions } from '../use-options.js';
import { sourceCards } from './source-step.js';
import { shownStep, stepAfter } from './steps.js';
import { type Creation, useCreate } from './use-create.js';
import type { Draft } from './use-draft.js';

/** What the create page shows, and what its buttons do. */
export interface StepsState {
  readonly step: CreateStep;
  /** The draft with a name in any case. */
  readonly named: DeploymentDraft;
  /** Props of the fields, with the faults that are shown. */
  readonly fields: DraftFieldsProps;
  /** All that is wrong, shown or not. */
  readonly faults: Faults;
  readonly creation: Creation;
  readonly fit: UseQueryResult<Fit>;
  readonly go: (to: CreateStep) => void;
  readonly submit: (event: SyntheticEvent) => void;
  readonly setLike: (like: number) => void;
}

const WRONG = '[aria-invalid=true] input, input[aria-invalid], textarea[aria-invalid], [role=alert]';

/** Focuses the first field that is wrong, once it is drawn. */
const focusFault = (form: RefObject<HTMLElement | null>): number =>
  requestAnimationFrame(() => form.current?.querySelector<HTMLElement>(WRONG)?.focus());

/** Faults to show: all of a step that somebody tried to leave, and what the services refused. */
function shownFaults(mine: Faults, { fault }: Creation, tried: boolean): Faults {
  const theirs: Faults = fault?.field == null ? {} : { [fault.field]: fault.message };
  return tried ? { ...theirs, ...mine } : theirs;
}

/** A name that nobody chose is the model's. */
const withName = (draft: DeploymentDraft): DeploymentDraft =>
  draft.name.trim() === '' ? { ...draft, name: deploymentNameFor(sourceOf(draft)) } : draft;

function useFaults(draft: DeploymentDraft): Faults {
  const sources = useOptions()?.sources;
  const isLocked = sourceCards(sources).some(({ value, locked }) => value === draft.kind && locked !== undefined);
  return { ...faultsOf(draft), ...(isLocked && { kind: 'Choose a source that the operator allows.' }) };
}

/** The steps of a draft: the one in the address, as far as those before it are filled in. */
export function useSteps({ draft, change }: Draft, form: RefObject<HTMLElement | null>): StepsState {
  const [state, set] = useUrlState(CREATE_SEARCH);
  const [tried, setTried] = useState<CreateStep | null>(null);
  const creation = useCreate();
  const fit = useFit(fitQuestion(draft));
  const named = withName(draft);
  const mine = useFaults(named);
  const step = shownStep(state.step, mine);
  // A step that cannot be opened yet is left for good: it must not open by itself while somebody fills in the one before.
  useEffect(() => {
    if (state.step !== step) set({ step });
  }, [state.step, step, set]);
  const refused = creation.fault?.field ?? null;
  useEffect(() => {
    if (refused !== null && STEP_OF[refused] === step) focusFault(form);
  }, [refused, step, form]);
  const go = (to: CreateStep): void => {
    setTried(null);
    set({ step: to }, { push: true });
  };
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    const next = stepAfter(step);
    if (Object.keys(faultsIn(mine, step)).length > 0) {
      setTried(step);
      focusFault(form);
    } else if (next) go(next);
    else
      void creation.create(
        named,
        ({ field }) => field !== null && STEP_OF[field] !== step && set({ step: STEP_OF[field] }, { push: true }),
      );
  };
  const onChange: DraftFieldsProps['onChange'] = (part) => {
    creation.forget();
    change(part);
  };
  const fields = { draft, faults: shownFaults(mine, creation, tried === step), onChange };
  return { ...{ step, named, fields, faults: mine, creation, fit, go, submit }, setLike: (like) => set({ like }) };
}
