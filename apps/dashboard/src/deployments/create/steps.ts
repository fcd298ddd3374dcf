import { CREATE_STEPS, type CreateStep } from '../../searches.js';
import { type Faults, faultsIn } from '../deployment-draft.js';

/** The steps, as people read them. */
export const STEP_TITLES: Readonly<Record<CreateStep, string>> = {
  source: 'Source',
  model: 'Model',
  size: 'Size',
  name: 'Name and alias',
};

const hasFault = (faults: Faults, step: CreateStep): boolean => Object.keys(faultsIn(faults, step)).length > 0;

/** Whether a step may be opened: all before it are without faults. */
export function isOpen(step: CreateStep, faults: Faults): boolean {
  return CREATE_STEPS.slice(0, CREATE_STEPS.indexOf(step)).every((before) => !hasFault(faults, before));
}

/** The step that an address shows: the one it names, or the last before it that may be opened. */
export const shownStep = (wanted: CreateStep, faults: Faults): CreateStep =>
  CREATE_STEPS.slice(0, CREATE_STEPS.indexOf(wanted) + 1).findLast((step) => isOpen(step, faults)) ?? 'source';

/** The step after this one; null = it is the last. */
export const stepAfter = (step: CreateStep): CreateStep | null => CREATE_STEPS[CREATE_STEPS.indexOf(step) + 1] ?? null;

/** The step before this one; null = it is the first. */
export const stepBefore = (step: CreateStep): CreateStep | null => CREATE_STEPS[CREATE_STEPS.indexOf(step) - 1] ?? null;
