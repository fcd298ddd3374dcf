import { Autocomplete } from '@base-ui/react/autocomplete';
import { type JSX, type ReactNode, useState } from 'react';
import { Icon, type IconName } from '../ui/icon.js';

/** Something that can be found by typing. */
export interface Pick {
  readonly id: string;
  readonly label: string;
  readonly run: () => void;
  readonly icon?: IconName;
  /** Shown small at the end; also searched. */
  readonly hint?: string;
}

export interface PickGroup {
  readonly value: string;
  readonly items: readonly Pick[];
}

export interface PickListProps {
  /** Name of the field, for screen readers. */
  readonly label: string;
  readonly placeholder: string;
  readonly groups: readonly PickGroup[];
  /** More groups for what is typed, such as a lookup by an id. */
  readonly groupsFor?: (typed: string) => readonly PickGroup[];
  /** Runs after a choice. */
  readonly onDone: () => void;
  readonly empty?: ReactNode;
}

/** Most entries of a group that are drawn: typing narrows the rest. */
const SHOWN_MAX = 12;

/** How well an entry fits; 0 = not at all. Every typed word must occur; a label that begins with the text comes first. */
export function fit({ label, hint = '' }: Pick, typed: string): number {
  const text = `${label} ${hint}`.toLowerCase();
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.every((word) => text.includes(word))) return 0;
  const [first = ''] = words;
  if (text.startsWith(first)) return 3;
  return text.includes(` ${first}`) || text.includes(`-${first}`) ? 2 : 1;
}

/** The entries that fit what is typed, best first; groups without any are left out. */
export function narrowed(groups: readonly PickGroup[], typed: string): PickGroup[] {
  return groups
    .map(({ value, items }) => {
      const fitting = items.map((item) => ({ item, score: fit(item, typed) })).filter(({ score }) => score > 0);
      const best = fitting.toSorted((a, b) => b.score - a.score).slice(0, SHOWN_MAX);
      return { value, items: best.map(({ item }) => item), score: best[0]?.score ?? 0 };
    })
    .filter(({ items }) => items.length > 0)
    .toSorted((a, b) => (typed === '' ? 0 : b.score - a.score));
}

/** A field over a list that narrows while one types; Enter runs the highlighted entry. */
export function PickList({ label, placeholder, groups, groupsFor, onDone, empty = 'Nothing matches.' }: PickListProps): JSX.Element {
  const [typed, setTyped] = useState('');
  const shown = narrowed([...groups, ...(groupsFor?.(typed) ?? [])], typed.trim());
  const choose = ({ run }: Pick): void => {
    onDone();
    run();
  };
  return (
    <Autocomplete.Root
      open
      inline
      mode="none"
      items={shown}
      value={typed}
      onValueChange={setTyped}
      itemToStringValue={(item: Pick) => item.label}
      autoHighlight="always"
      keepHighlight
    >
      <div className="flex items-center gap-2 border-b border-line px-3">
        <Icon name="search" className="size-4 text-muted" />
        <Autocomplete.Input
          aria-label={label}
          placeholder={placeholder}
          className="h-11 min-w-0 flex-1 bg-transparent outline-none placeholder:text-muted"
        />
      </div>
      <Autocomplete.Empty>
        <div className="px-4 py-6 text-center text-muted empty:hidden">{shown.length === 0 && empty}</div>
      </Autocomplete.Empty>
      <Autocomplete.List className="max-h-[min(60dvh,24rem)] overflow-y-auto overscroll-contain p-1 empty:hidden">
        {(group: PickGroup) => (
          <Autocomplete.Group key={group.value} items={group.items} className="mb-1 last:mb-0">
            <Autocomplete.GroupLabel className="px-2 py-1 text-xs font-medium text-muted">{group.value}</Autocomplete.GroupLabel>
            <Autocomplete.Collection>
              {(item: Pick) => (
                <Autocomplete.Item
                  key={item.id}
                  value={item}
                  onClick={() => choose(item)}
                  className="flex min-h-9 cursor-pointer items-center gap-3 rounded-md px-2 outline-none data-highlighted:bg-sunken"
                >
                  {item.icon && <Icon name={item.icon} className="size-4 text-muted" />}
                  <span className="min-w-0 flex-1 truncate">{item.label}</span>
                  {item.hint !== undefined && <span className="max-w-48 truncate text-xs text-muted">{item.hint}</span>}
                </Autocomplete.Item>
              )}
            </Autocomplete.Collection>
          </Autocomplete.Group>
        )}
      </Autocomplete.List>
    </Autocomplete.Root>
  );
}
