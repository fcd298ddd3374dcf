import { Combobox } from '@base-ui/react/combobox';
import { type JSX, useState } from 'react';
import { type Chosen, chipsOf, chosenOf, type Filter, filterOf, suggestionsOf } from './filter-suggestions.js';
import { Icon } from './icon.js';
import { OVERLAY, OVERLAY_ITEM } from './overlay.js';

export type { Chosen, Filter } from './filter-suggestions.js';

export interface FilterBarProps {
  /** Name of the line: "Filter requests". */
  readonly label: string;
  readonly filters: readonly Filter[];
  readonly chosen: Chosen;
  readonly onChange: (chosen: Chosen) => void;
  /** An example of a filter; absent = `status:failed`. */
  readonly example?: string;
}

/** Filters as chips, typed as `status:failed` or picked; Backspace in the empty line takes the last one back. */
export function FilterBar({ label, filters, chosen, onChange, example = 'status:failed' }: FilterBarProps): JSX.Element {
  const [typed, setTyped] = useState('');
  const chips = chipsOf(filters, chosen);
  const change = (next: string[]): void => {
    const unfinished = next.find((chip) => chip.endsWith(':') && filterOf(filters, chip)?.[1] === '');
    setTyped(unfinished ?? '');
    if (unfinished === undefined) onChange(chosenOf(filters, next));
  };
  return (
    <Combobox.Root<string, true>
      multiple
      items={suggestionsOf(filters, chosen, typed)}
      filter={null}
      value={[...chips]}
      onValueChange={change}
      inputValue={typed}
      onInputValueChange={(text, { reason }) => reason === 'input-change' && setTyped(text)}
      autoHighlight
    >
      <Combobox.InputGroup className="field flex min-w-0 flex-1 items-center gap-2 py-0 pr-1">
        <Icon name="filter" className="size-4 shrink-0 text-muted" />
        <Combobox.Chips className="flex min-w-0 flex-1 flex-wrap items-center gap-1 py-0.5">
          {chips.map((chip) => (
            <FilterChip key={chip} chip={chip} filters={filters} />
          ))}
          <Combobox.Input
            aria-label={label}
            placeholder={chips.length === 0 ? `Filter, such as ${example}` : ''}
            className="min-h-6 min-w-24 flex-1 bg-transparent outline-none"
          />
        </Combobox.Chips>
        {chips.length > 0 && (
          <button
            type="button"
            onClick={() => onChange(chosenOf(filters, []))}
            className="min-h-6 shrink-0 rounded-sm px-1.5 text-sm text-accent hover:bg-sunken pointer-coarse:min-h-11"
          >
            Clear
          </button>
        )}
      </Combobox.InputGroup>
      <Suggestions filters={filters} />
    </Combobox.Root>
  );
}

function FilterChip({ chip, filters }: { readonly chip: string; readonly filters: readonly Filter[] }): JSX.Element {
  const [filter, value] = filterOf(filters, chip) ?? [null, chip];
  const words = filter?.words?.(value) ?? value;
  const name = `${filter?.title ?? ''}: ${words}`;
  return (
    <Combobox.Chip aria-label={name} className="inline-flex h-6 max-w-72 min-w-0 items-center rounded-sm bg-accent-soft pl-2 text-sm">
      <span className="shrink-0 text-muted">{filter?.id}:</span>
      <span title={words} className="min-w-0 truncate">
        {words}
      </span>
      <Combobox.ChipRemove
        aria-label={`Remove ${name}`}
        className="grid size-6 shrink-0 place-items-center rounded-sm text-muted hover:text-ink"
      >
        <Icon name="close" className="size-3.5" />
      </Combobox.ChipRemove>
    </Combobox.Chip>
  );
}

function Suggestions({ filters }: { readonly filters: readonly Filter[] }): JSX.Element {
  return (
    <Combobox.Portal>
      <Combobox.Positioner sideOffset={4} collisionPadding={8} className="z-60 outline-none">
        <Combobox.Popup className={`${OVERLAY} w-(--anchor-width) max-w-(--available-width) min-w-48 p-1`}>
          <Combobox.Empty className="text-sm text-muted not-empty:px-2 not-empty:py-1.5">No such filter.</Combobox.Empty>
          <Combobox.List className="max-h-[min(20rem,var(--available-height))] overflow-y-auto">
            {(chip: string) => {
              const [filter, value] = filterOf(filters, chip) ?? [null, chip];
              return (
                <Combobox.Item key={chip} value={chip} className={OVERLAY_ITEM}>
                  <span className="shrink-0 text-muted">{filter?.id}:</span>
                  <span className="min-w-0 truncate">{value === '' ? filter?.title : (filter?.words?.(value) ?? value)}</span>
                </Combobox.Item>
              );
            }}
          </Combobox.List>
        </Combobox.Popup>
      </Combobox.Positioner>
    </Combobox.Portal>
  );
}
