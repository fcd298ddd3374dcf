/** Something by which a list is filtered; typed as `status:failed`. */
export interface Filter {
  /** Stands before the colon. */
  readonly id: string;
  readonly title: string;
  /** Values that are offered. */
  readonly values: readonly string[];
  /** A value as people read it, searched too. */
  readonly words?: (value: string) => string;
  /** Any text is a value: an id that somebody pastes. */
  readonly isFree?: boolean;
}

/** The values chosen of each filter. */
export type Chosen = Readonly<Record<string, readonly string[]>>;

/** `status:failed`. A filter alone, `status:`, has no value yet. */
const chipOf = (id: string, value = ''): string => `${id}:${value}`;

/** Filter and value of a chip; null where there is no such filter. */
export function filterOf(filters: readonly Filter[], chip: string): readonly [Filter, string] | null {
  const at = chip.indexOf(':');
  const filter = filters.find(({ id }) => id === chip.slice(0, at));
  return at < 0 || !filter ? null : [filter, chip.slice(at + 1)];
}

/** All chips, in the order of the filters. */
export const chipsOf = (filters: readonly Filter[], chosen: Chosen): readonly string[] =>
  filters.flatMap(({ id }) => (chosen[id] ?? []).map((value) => chipOf(id, value)));

/** What chips mean. Filters without a chip have an empty list; chips of no filter are left out. */
export function chosenOf(filters: readonly Filter[], chips: readonly string[]): Chosen {
  const parsed = chips.flatMap((chip) => {
    const found = filterOf(filters, chip);
    return found && found[1] !== '' ? [{ id: found[0].id, value: found[1] }] : [];
  });
  return Object.fromEntries(filters.map(({ id }) => [id, [...new Set(parsed.filter((one) => one.id === id).map(({ value }) => value))]]));
}

/** Longest list of suggestions. */
const SUGGESTIONS_MAX = 50;

/** What may be meant by what is typed: filters by their names, and values by their own. */
export function suggestionsOf(filters: readonly Filter[], chosen: Chosen, typed: string): readonly string[] {
  const text = typed.trim().toLocaleLowerCase();
  const named = filterOf(filters, typed.trim());
  if (named) return valuesOf(named[0], chosen, named[1].trim());
  const names = filters.filter(({ id, title }) => `${id} ${title}`.toLocaleLowerCase().includes(text)).map(({ id }) => chipOf(id));
  const values = text === '' ? [] : filters.flatMap((filter) => valuesOf({ ...filter, isFree: false }, chosen, text));
  return [...names, ...values].slice(0, SUGGESTIONS_MAX);
}

function valuesOf({ id, values, words = String, isFree = false }: Filter, chosen: Chosen, text: string): readonly string[] {
  const wanted = text.toLocaleLowerCase();
  const fits = values.filter((value) => `${value} ${words(value)}`.toLocaleLowerCase().includes(wanted));
  const own = isFree && text !== '' && !values.includes(text) ? [text] : [];
  return [...own, ...fits]
    .filter((value) => chosen[id]?.includes(value) !== true)
    .slice(0, SUGGESTIONS_MAX)
    .map((value) => chipOf(id, value));
}
