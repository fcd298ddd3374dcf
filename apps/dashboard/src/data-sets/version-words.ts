import type { DatasetRepair, DatasetView, VersionOrigin, VersionState, VersionView } from '@slipway/contracts';
import { formatPercent } from '../format/number.js';
import type { StatusLook } from '../ui/status.js';

/** Kinds of data sets as people read them. */
export const KINDS: Readonly<Record<DatasetView['kind'], string>> = { sft: 'Chat', preference: 'Preferences' };

interface StateWords {
  readonly text: string;
  readonly look: StatusLook;
}

/** States of a version as people read them. */
export const VERSION_STATES: Readonly<Record<VersionState, StateWords>> = {
  uploading: { text: 'Uploading', look: 'busy' },
  validating: { text: 'Checking', look: 'busy' },
  ready: { text: 'Ready', look: 'good' },
  invalid: { text: 'Needs repair', look: 'bad' },
  deleting: { text: 'Deleting', look: 'plain' },
};

/** Where a version came from. */
export const ORIGINS: Readonly<Record<VersionOrigin, string>> = {
  upload: 'Uploaded',
  url: 'Imported from a URL',
  edit: 'Edited',
  repair: 'Repaired',
  playground: 'From the playground',
  sample: 'Sample',
};

const REASONS: Readonly<Record<string, string>> = {
  too_many_errors: 'Too many examples are broken.',
  has_rejected: 'Some examples are broken. Continue without them, or mend the file.',
  empty: 'The file holds no examples.',
  unreadable: 'The file cannot be read.',
  import_failed: 'The file could not be fetched.',
  interrupted: 'Checking was interrupted. Upload the file again.',
};

/** Why a version cannot be used; null where it can or will be. */
export function reasonOf({ state, reason, detail }: Pick<VersionView, 'state' | 'reason' | 'detail'>): string | null {
  if (state !== 'invalid') return null;
  return detail ?? REASONS[reason ?? ''] ?? 'This version cannot be used.';
}

/** A repair as a button. */
export const REPAIRS: Readonly<Record<DatasetRepair, { readonly action: string; readonly about: string }>> = {
  convert_array: { action: 'Convert to one example per line', about: 'The file is one JSON array; each of its items becomes a line.' },
  leave_out_rejected: { action: 'Continue without the broken examples', about: 'Makes a version of the examples that are good.' },
  leave_out_duplicates: { action: 'Leave out duplicates', about: 'Keeps the first of each repeated example.' },
};

/** Whether a version is still being made. */
export const isMoving = ({ state }: Pick<VersionView, 'state'>): boolean => state === 'uploading' || state === 'validating';

/** State of a version with its progress: `Checking 40 %`. */
export function stateText({ state, progress }: Pick<VersionView, 'state' | 'progress'>): string {
  const { text } = VERSION_STATES[state];
  return progress === null || !['uploading', 'validating'].includes(state) ? text : `${text} ${formatPercent(progress)}`;
}

/** State of a data set: that of its newest version. */
export function datasetState({ head }: Pick<DatasetView, 'head'>): StateWords {
  return head === null ? { text: 'Empty', look: 'plain' } : { text: stateText(head), look: VERSION_STATES[head.state].look };
}
