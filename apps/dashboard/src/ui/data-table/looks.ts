/** A window over the page: menus and popovers of a table. */
export const OVERLAY =
  'rounded-lg border border-line bg-raised p-1 text-ink shadow-overlay outline-none max-h-(--available-height) max-w-(--available-width) overflow-y-auto';

/** A row of such a window. */
export const OVERLAY_ITEM =
  'flex min-h-8 w-full cursor-pointer items-center gap-2 rounded-md px-2 py-1 text-sm outline-none select-none pointer-coarse:min-h-11 data-disabled:cursor-not-allowed data-disabled:opacity-50 data-highlighted:bg-sunken';

/** Heading of some rows. */
export const OVERLAY_HEADING = 'px-2 pt-2 pb-1 text-xs font-medium text-muted';

/** A button of a table's bar. */
export const BAR_BUTTON =
  'inline-flex min-h-8 items-center gap-1.5 rounded-md border border-rim bg-raised px-2.5 text-sm font-medium whitespace-nowrap hover:bg-sunken pointer-coarse:min-h-11 disabled:cursor-not-allowed disabled:opacity-50';

/** A button with a picture alone. */
export const ICON_BUTTON =
  'relative grid size-8 shrink-0 place-items-center rounded-md text-muted hover:bg-line hover:text-ink pointer-coarse:size-11 disabled:cursor-not-allowed disabled:opacity-40';
