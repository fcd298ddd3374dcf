/** The look of everything that floats over a page: a hairline, a shadow, and a short fade. */
export const OVERLAY =
  'rounded-lg border border-line bg-raised text-ink shadow-overlay outline-none transition-opacity duration-100 data-starting-style:opacity-0 data-ending-style:opacity-0';

/** A row of a menu or a list of choices. */
export const OVERLAY_ITEM =
  'flex min-h-8 cursor-pointer items-center gap-2 rounded-md px-2 py-1 text-sm outline-none select-none pointer-coarse:min-h-11 data-disabled:cursor-not-allowed data-disabled:opacity-50 data-highlighted:bg-sunken';

/** Heading of some rows. */
export const OVERLAY_HEADING = 'px-2 pt-2 pb-1 text-xs font-medium text-muted';
