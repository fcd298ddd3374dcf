/** A button of a table's bar. */
export const BAR_BUTTON =
  'inline-flex min-h-8 items-center gap-1.5 rounded-md border border-rim bg-raised px-2.5 text-sm font-medium whitespace-nowrap hover:bg-sunken pointer-coarse:min-h-11 disabled:cursor-not-allowed disabled:opacity-50';

/** A button with a picture alone. */
export const ICON_BUTTON =
  'relative grid size-8 shrink-0 place-items-center rounded-md text-muted hover:bg-line hover:text-ink pointer-coarse:size-11 disabled:cursor-not-allowed disabled:opacity-40';
