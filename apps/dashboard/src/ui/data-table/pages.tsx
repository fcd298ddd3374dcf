import { Menu } from '@base-ui/react/menu';
import type { JSX } from 'react';
import { formatCount } from '../../format/number.js';
import { PAGE_SIZES, type PageSize, type TableState } from '../../url-state/table-search.js';
import type { SetUrlState } from '../../url-state/use-url-state.js';
import { Button } from '../button.js';
import { Icon } from '../icon.js';
import { OVERLAY, OVERLAY_ITEM } from '../overlay.js';
import type { PageBounds } from './layout.js';
import { BAR_BUTTON, ICON_BUTTON } from './looks.js';
import type { MoreRows } from './types.js';

export interface PagesProps {
  readonly label: string;
  readonly bounds: PageBounds;
  readonly rows: number;
  readonly size: PageSize;
  readonly set: SetUrlState<TableState>;
}

/** Fewer rows than the shortest page has need no pages. */
const PAGES_FROM = 25;

/** Which rows of how many are shown, and the way to the others. */
export function Pages({ label, bounds: { page, pages, start, end }, rows, size, set }: PagesProps): JSX.Element | null {
  const go = (next: number): void => set({ page: next }, { push: true });
  if (rows <= PAGES_FROM) return null;
  return (
    <nav aria-label={`Pages of ${label}`} className="flex flex-wrap items-center justify-between gap-3 text-sm text-muted">
      <span className="tabular-nums">
        {formatCount(Math.min(start + 1, end))}–{formatCount(end)} of {formatCount(rows)}
      </span>
      <div className="flex items-center gap-1">
        <SizeMenu size={size} onChange={(next) => set({ size: next, page: 1 })} />
        <button type="button" aria-label="Previous page" disabled={page === 1} onClick={() => go(page - 1)} className={ICON_BUTTON}>
          <Icon name="back" />
        </button>
        <span className="tabular-nums">
          Page {formatCount(page)} of {formatCount(pages)}
        </span>
        <button type="button" aria-label="Next page" disabled={page === pages} onClick={() => go(page + 1)} className={ICON_BUTTON}>
          <Icon name="next" />
        </button>
      </div>
    </nav>
  );
}

const wordsOf = (size: PageSize): string => (size === 'all' ? 'All rows' : `${size} rows`);

function SizeMenu({ size, onChange }: { readonly size: PageSize; readonly onChange: (size: PageSize) => void }): JSX.Element {
  return (
    <Menu.Root>
      <Menu.Trigger aria-label={`Rows on a page: ${wordsOf(size)}`} className={`${BAR_BUTTON} font-normal text-ink`}>
        {wordsOf(size)}
        <Icon name="down" className="size-3.5 text-muted" />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner align="end" sideOffset={4} collisionPadding={8} className="z-60">
          <Menu.Popup className={`${OVERLAY} max-h-(--available-height) max-w-(--available-width) overflow-y-auto p-1 min-w-32`}>
            <Menu.RadioGroup value={size} onValueChange={(next: PageSize) => onChange(next)}>
              {PAGE_SIZES.map((one) => (
                <Menu.RadioItem key={one} value={one} closeOnClick className={OVERLAY_ITEM}>
                  <span className="flex-1">{wordsOf(one)}</span>
                  <Menu.RadioItemIndicator className="text-accent">
                    <Icon name="check" />
                  </Menu.RadioItemIndicator>
                </Menu.RadioItem>
              ))}
            </Menu.RadioGroup>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}

/** How many rows are loaded, and the way to more. */
export function LoadMore({ rows, more: { has, isLoading, onMore } }: { readonly rows: number; readonly more: MoreRows }): JSX.Element {
  return (
    <div className="flex flex-wrap items-center justify-between gap-3 text-sm text-muted">
      <span className="tabular-nums">{has ? `${formatCount(rows)} loaded` : `All ${formatCount(rows)} loaded`}</span>
      {has && (
        <Button busy={isLoading} onClick={onMore}>
          Load more
        </Button>
      )}
    </div>
  );
}
