import { Popover } from '@base-ui/react/popover';
import { type JSX, useState } from 'react';
import { formatCount } from '../../format/number.js';
import { Icon } from '../icon.js';
import { OVERLAY, OVERLAY_ITEM } from '../overlay.js';
import { BAR_BUTTON } from './looks.js';

/** More values than these can be searched. */
const SEARCH_FROM = 8;

export interface FacetButtonProps {
  readonly title: string;
  /** Read while the list is open: counting takes time with many rows. */
  readonly counts: () => readonly (readonly [value: string, count: number])[];
  readonly chosen: readonly string[];
  readonly words: (value: string) => string;
  readonly onChange: (chosen: readonly string[]) => void;
}

/** Chooses some values of a facet. */
export function FacetButton(props: FacetButtonProps): JSX.Element {
  const { title, chosen } = props;
  return (
    <Popover.Root>
      <Popover.Trigger
        aria-label={`Filter by ${title}${chosen.length > 0 ? `, ${chosen.length} chosen` : ''}`}
        className={`${BAR_BUTTON} ${chosen.length > 0 ? 'border-accent text-accent' : ''}`}
      >
        {title}
        {chosen.length > 0 && <span className="tabular-nums">{chosen.length}</span>}
        <Icon name="down" className="size-3.5 text-muted" />
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner align="start" sideOffset={4} collisionPadding={8} className="z-60">
          <Popover.Popup
            aria-label={title}
            className={`${OVERLAY} max-h-(--available-height) max-w-(--available-width) overflow-y-auto p-1 w-64`}
          >
            <FacetValues {...props} />
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}

function FacetValues({ title, counts, chosen, words, onChange }: FacetButtonProps): JSX.Element {
  const [q, setQ] = useState('');
  const all = counts();
  const shown = all.filter(([value]) => words(value).toLocaleLowerCase().includes(q.trim().toLocaleLowerCase()));
  const toggle = (value: string, on: boolean): void => onChange(on ? [...chosen, value] : chosen.filter((one) => one !== value));
  return (
    <>
      {all.length > SEARCH_FROM && (
        <div className="p-1">
          <input
            type="search"
            aria-label={`Search ${title}`}
            placeholder="Search"
            value={q}
            onChange={({ target }) => setQ(target.value)}
            className="field"
          />
        </div>
      )}
      <div role="group" aria-label={title} className="max-h-72 overflow-y-auto">
        {shown.map(([value, count]) => (
          <label key={value} className={`${OVERLAY_ITEM} hover:bg-sunken`}>
            <input
              type="checkbox"
              checked={chosen.includes(value)}
              onChange={({ target }) => toggle(value, target.checked)}
              className="size-4 shrink-0 accent-accent"
            />
            <span title={words(value)} className="min-w-0 flex-1 truncate">
              {words(value)}
            </span>
            <span className="text-xs text-muted tabular-nums">{formatCount(count)}</span>
          </label>
        ))}
        {shown.length === 0 && <p className="px-2 py-1.5 text-sm text-muted">Nothing matches.</p>}
      </div>
      {chosen.length > 0 && (
        <button type="button" onClick={() => onChange([])} className={`${OVERLAY_ITEM} mt-1 justify-center text-accent hover:bg-sunken`}>
          Clear
        </button>
      )}
    </>
  );
}
