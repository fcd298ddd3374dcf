import { Combobox as Base } from '@base-ui/react/combobox';
import type { JSX } from 'react';
import { Icon } from './icon.js';
import { type FieldProps, Labelled } from './labelled.js';
import { OVERLAY, OVERLAY_ITEM } from './overlay.js';
import { type Choice, ChoiceText } from './select.js';

/** A choice matches by its name and by what explains it. */
function useChoiceFilter(): (choice: Choice, typed: string) => boolean {
  const { contains } = Base.useFilter({ sensitivity: 'base' });
  return (choice, typed) => contains(choice, typed, ({ label, hint = '' }: Choice) => `${label} ${hint}`);
}

interface ComboboxBasics extends FieldProps {
  readonly choices: readonly Choice[];
  readonly placeholder?: string;
  /** Said where no choice matches what was typed. */
  readonly nothing?: string;
  readonly disabled?: boolean;
}

export interface ComboboxFieldProps extends ComboboxBasics {
  /** The chosen value; null = none yet. */
  readonly value: string | null;
  readonly onChange: (value: string) => void;
}

/** One of many, found by typing a part of its name. */
export function ComboboxField({ label, hint, fault, bare, value, onChange, ...rest }: ComboboxFieldProps): JSX.Element {
  const { choices, placeholder, nothing, disabled = false } = rest;
  const filter = useChoiceFilter();
  return (
    <Labelled {...{ label, hint, fault, bare }}>
      {(wiring) => (
        <Base.Root
          items={choices}
          value={choices.find((one) => one.value === value) ?? null}
          onValueChange={(choice: Choice | null) => choice && onChange(choice.value)}
          isItemEqualToValue={(one, other) => one?.value === other?.value}
          disabled={disabled}
          filter={filter}
          autoHighlight
        >
          <Base.InputGroup className="field flex items-center gap-2">
            <Base.Input {...wiring} placeholder={placeholder ?? 'Search'} className="min-w-0 flex-1 truncate bg-transparent outline-none" />
            <Base.Trigger aria-label={`Show choices of ${label}`} tabIndex={-1} className="text-muted">
              <Icon name="switch" />
            </Base.Trigger>
          </Base.InputGroup>
          <ChoiceList nothing={nothing} />
        </Base.Root>
      )}
    </Labelled>
  );
}

export interface MultiComboboxFieldProps extends ComboboxBasics {
  readonly value: readonly string[];
  readonly onChange: (value: string[]) => void;
}

/** Some of many, as chips; Backspace in the empty line removes the last. */
export function MultiComboboxField({ label, hint, fault, bare, value, onChange, ...rest }: MultiComboboxFieldProps): JSX.Element {
  const { choices, placeholder, nothing, disabled = false } = rest;
  const filter = useChoiceFilter();
  return (
    <Labelled {...{ label, hint, fault, bare }}>
      {(wiring) => (
        <Base.Root
          multiple
          items={choices}
          value={choices.filter((one) => value.includes(one.value))}
          onValueChange={(next: Choice[], details) => {
            // Escape leaves; it would remove every chip, which nobody expects of it.
            if (details.reason !== 'escape-key') return onChange(next.map((one) => one.value));
            details.cancel();
            details.allowPropagation();
          }}
          isItemEqualToValue={(one, other) => one.value === other.value}
          disabled={disabled}
          filter={filter}
          autoHighlight
        >
          <Base.InputGroup className="field flex items-center py-[3px]!">
            <Base.Chips className="flex min-w-0 flex-1 flex-wrap items-center gap-1">
              <Base.Value>
                {(chosen: Choice[]) =>
                  chosen.map((one) => (
                    <Base.Chip
                      key={one.value}
                      aria-label={one.label}
                      className="inline-flex max-w-full items-center gap-1 rounded-sm bg-sunken pl-1.5 text-sm"
                    >
                      <span className="truncate">{one.label}</span>
                      <Base.ChipRemove
                        aria-label={`Remove ${one.label}`}
                        className="grid size-6 place-items-center rounded-sm text-muted hover:text-ink"
                      >
                        <Icon name="close" className="size-3.5" />
                      </Base.ChipRemove>
                    </Base.Chip>
                  ))
                }
              </Base.Value>
              <Base.Input
                {...wiring}
                placeholder={value.length === 0 ? (placeholder ?? 'Search') : ''}
                className="min-w-16 flex-1 bg-transparent outline-none"
              />
            </Base.Chips>
          </Base.InputGroup>
          <ChoiceList nothing={nothing} />
        </Base.Root>
      )}
    </Labelled>
  );
}

function ChoiceList({ nothing = 'Nothing matches.' }: { readonly nothing?: string | undefined }): JSX.Element {
  return (
    <Base.Portal>
      <Base.Positioner sideOffset={4} collisionPadding={8} className="z-60 outline-none">
        <Base.Popup className={`${OVERLAY} w-(--anchor-width) min-w-48 max-w-(--available-width) p-1`}>
          <Base.Empty className="text-sm text-muted not-empty:px-2 not-empty:py-1.5">{nothing}</Base.Empty>
          <Base.List className="max-h-[min(20rem,var(--available-height))] overflow-y-auto">
            {(choice: Choice) => (
              <Base.Item key={choice.value} value={choice} disabled={choice.disabled ?? false} className={OVERLAY_ITEM}>
                <ChoiceText choice={choice}>{choice.label}</ChoiceText>
                <Base.ItemIndicator className="ml-auto pl-2 text-accent">
                  <Icon name="check" />
                </Base.ItemIndicator>
              </Base.Item>
            )}
          </Base.List>
        </Base.Popup>
      </Base.Positioner>
    </Base.Portal>
  );
}
