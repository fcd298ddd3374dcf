import { Radio } from '@base-ui/react/radio';
import { RadioGroup } from '@base-ui/react/radio-group';
import { type JSX, type ReactNode, useId, useState } from 'react';
import { Truncated } from '../ui/data-table/truncated.js';
import { TextField } from '../ui/field.js';
import { plural } from '../format/number.js';

export interface RowChoice {
  readonly value: string;
  readonly title: string;
  /** A second line. Searched too. */
  readonly text?: string;
  /** At the end of the row: a size. */
  readonly aside?: ReactNode;
}

export interface ChoiceRowsProps {
  readonly label: string;
  readonly choices: readonly RowChoice[];
  /** Empty = none. */
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly fault?: string | undefined;
}

/** Lists that are longer can be searched. */
const SEARCH_FROM = 8;
/** Rows that are drawn; a search finds the others. */
const SHOWN_MAX = 50;

/** The choices in whose words every typed word occurs. */
export function found(choices: readonly RowChoice[], typed: string): readonly RowChoice[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  return choices.filter(({ title, text = '' }) => words.every((word) => `${title} ${text}`.toLowerCase().includes(word)));
}

/** One of many in a list that is searched by typing. */
export function ChoiceRows({ label, choices, value, onChange, fault }: ChoiceRowsProps): JSX.Element {
  const id = useId();
  const [typed, setTyped] = useState('');
  const matching = found(choices, typed);
  const shown = matching.slice(0, SHOWN_MAX);
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-1.5">
      <span id={id} className="text-sm font-medium">
        {label}
      </span>
      {choices.length > SEARCH_FROM && (
        <TextField
          label={`Search: ${label}`}
          bare
          type="search"
          placeholder="Search"
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
        />
      )}
      <RadioGroup
        aria-labelledby={id}
        aria-describedby={fault === undefined ? undefined : `${id}-fault`}
        value={value}
        onValueChange={(next) => onChange(next)}
        className={`max-h-80 overflow-y-auto rounded-lg border bg-surface ${fault === undefined ? 'border-line' : 'border-bad'}`}
      >
        {shown.map((choice) => (
          <ChoiceRow key={choice.value} choice={choice} />
        ))}
        {shown.length === 0 && <p className="px-3 py-4 text-sm text-muted">Nothing matches.</p>}
      </RadioGroup>
      {matching.length > SHOWN_MAX && (
        <p className="text-xs text-muted">{plural(matching.length - SHOWN_MAX, 'more model')}: type to narrow the list.</p>
      )}
      {fault !== undefined && (
        <p id={`${id}-fault`} role="alert" className="text-xs text-bad">
          {fault}
        </p>
      )}
    </div>
  );
}

function ChoiceRow({ choice: { value, title, text, aside } }: { readonly choice: RowChoice }): JSX.Element {
  const id = useId();
  return (
    <label
      htmlFor={id}
      className="flex min-h-11 cursor-pointer items-center gap-3 border-line px-3 py-1.5 transition-colors not-last:border-b hover:bg-sunken has-data-checked:bg-accent-soft"
    >
      <Radio.Root
        id={id}
        value={value}
        aria-label={title}
        className="grid size-4 shrink-0 place-items-center rounded-full border border-edge bg-surface data-checked:border-accent data-checked:bg-accent"
      >
        <Radio.Indicator className="size-1.5 rounded-full bg-on-accent" />
      </Radio.Root>
      <span className="grid min-w-0 flex-1 grid-cols-[minmax(0,1fr)]">
        <Truncated text={title} cut="middle" className="text-sm font-medium" />
        {text !== undefined && <Truncated text={text} cut="middle" className="text-xs text-muted" />}
      </span>
      {aside !== undefined && <span className="shrink-0 text-sm text-muted tabular-nums">{aside}</span>}
    </label>
  );
}
