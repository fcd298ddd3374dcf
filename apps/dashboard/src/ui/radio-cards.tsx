import { Radio } from '@base-ui/react/radio';
import { RadioGroup } from '@base-ui/react/radio-group';
import { type JSX, type ReactNode, useId } from 'react';
import { Icon, type IconName } from './icon.js';
import { Below } from './labelled.js';

export interface Card<T extends string> {
  readonly value: T;
  readonly title: string;
  readonly text?: ReactNode;
  readonly icon?: IconName;
  /** Why it cannot be chosen. */
  readonly locked?: string | undefined;
}

export interface RadioCardsProps<T extends string> {
  readonly label: string;
  readonly cards: readonly Card<T>[];
  readonly value: T;
  readonly onChange: (value: T) => void;
  readonly hint?: ReactNode;
}

/** One of a few that need a sentence each. A card that cannot be chosen says why. */
export function RadioCards<T extends string>({ label, cards, value, onChange, hint }: RadioCardsProps<T>): JSX.Element {
  const id = useId();
  return (
    <div className="grid gap-1.5">
      <span id={id} className="text-sm font-medium">
        {label}
      </span>
      <RadioGroup
        aria-labelledby={id}
        value={value}
        onValueChange={(next) => onChange(next)}
        className="grid gap-3 sm:grid-cols-[repeat(auto-fit,minmax(12rem,1fr))]"
      >
        {cards.map((card) => (
          <CardChoice key={card.value} card={card} />
        ))}
      </RadioGroup>
      <Below id={id} hint={hint} />
    </div>
  );
}

function CardChoice<T extends string>({ card: { value, title, text, icon, locked } }: { readonly card: Card<T> }): JSX.Element {
  const id = useId();
  return (
    <label
      htmlFor={id}
      className="flex cursor-pointer items-start gap-3 rounded-lg border border-rim bg-surface p-3 transition-colors hover:bg-sunken has-data-checked:border-accent has-data-checked:bg-accent-soft has-data-disabled:cursor-not-allowed has-data-disabled:bg-sunken"
    >
      {icon && <Icon name={locked === undefined ? icon : 'lock'} className="mt-0.5 size-4 text-muted" />}
      <span className="grid min-w-0 flex-1 gap-0.5">
        <span className="text-sm font-medium">{title}</span>
        {(locked ?? text) !== undefined && (
          <span id={`${id}-hint`} className="text-xs text-muted">
            {locked ?? text}
          </span>
        )}
      </span>
      <Radio.Root
        id={id}
        value={value}
        aria-label={title}
        aria-describedby={(locked ?? text) === undefined ? undefined : `${id}-hint`}
        disabled={locked !== undefined}
        className="grid size-4 shrink-0 place-items-center rounded-full border border-edge bg-surface data-checked:border-accent data-checked:bg-accent"
      >
        <Radio.Indicator className="size-1.5 rounded-full bg-on-accent" />
      </Radio.Root>
    </label>
  );
}
