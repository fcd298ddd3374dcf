import { Select as Base } from '@base-ui/react/select';
import { type JSX, type ReactNode, type Ref, useImperativeHandle, useRef, useState } from 'react';
import { Icon, type IconName } from './icon.js';
import type { Wiring } from './labelled.js';
import { OVERLAY, OVERLAY_ITEM } from './overlay.js';
import { type StatusLook, StatusMark } from './status.js';

export interface Choice {
  readonly value: string;
  readonly label: string;
  /** A second line that explains the choice. */
  readonly hint?: string;
  readonly icon?: IconName;
  /** The dot of a state before the name; the hint says the state in words. */
  readonly look?: StatusLook;
  readonly disabled?: boolean;
}

/** What a chosen value is reported in; react-hook-form takes it as it takes events of the browser. */
export interface ChoiceEvent {
  readonly type: 'change' | 'blur';
  readonly target: { readonly value: string; readonly name: string | undefined };
}

/** What react-hook-form gets as the element of a field: it reads and writes `value`, and focuses it. */
export interface ChoiceHandle {
  value: string;
  readonly focus: () => void;
}

export interface SelectProps {
  readonly choices: readonly Choice[];
  /** Absent: the select keeps its own value, as a form's. */
  readonly value?: string;
  readonly name?: string;
  readonly onChange?: (event: ChoiceEvent) => unknown;
  readonly onBlur?: (event: ChoiceEvent) => unknown;
  readonly ref?: Ref<ChoiceHandle>;
  readonly disabled?: boolean | undefined;
  readonly required?: boolean;
  readonly className?: string;
  readonly wiring: Wiring & { readonly 'aria-labelledby'?: string; readonly 'aria-label'?: string };
}

/** A value that the caller holds, or else the control itself; a form reads and writes it by the handle. */
function useChosen({ value, ref }: Pick<SelectProps, 'value' | 'ref'>): {
  readonly chosen: string;
  /** The value now, also before the next drawing. */
  readonly current: () => string;
  readonly keep: (value: string) => void;
  readonly trigger: React.RefObject<HTMLButtonElement | null>;
} {
  const [own, setOwn] = useState('');
  const trigger = useRef<HTMLButtonElement>(null);
  const latest = useRef(own);
  const keep = (next: string): void => {
    latest.current = next;
    setOwn(next);
  };
  useImperativeHandle(ref, () => ({
    get value() {
      return latest.current;
    },
    set value(next: string) {
      keep(next);
    },
    focus: () => trigger.current?.focus(),
  }));
  return { chosen: value ?? own, current: () => value ?? latest.current, keep, trigger };
}

/** One of a few choices, without a label. */
export function Select({
  choices,
  value,
  name,
  onChange,
  onBlur,
  ref,
  disabled,
  required,
  className = '',
  wiring,
}: SelectProps): JSX.Element {
  const { chosen, current, keep, trigger } = useChosen({ ...(value !== undefined && { value }), ...(ref !== undefined && { ref }) });
  const choose = (next: string | null): void => {
    if (next === null) return;
    keep(next);
    void onChange?.({ type: 'change', target: { value: next, name } });
  };
  return (
    <Base.Root
      items={choices}
      value={chosen}
      onValueChange={choose}
      onOpenChange={(open) => !open && void onBlur?.({ type: 'blur', target: { value: current(), name } })}
      disabled={disabled ?? false}
      required={required ?? false}
      modal={false}
    >
      <Base.Trigger {...wiring} ref={trigger} className={`field select-trigger ${className}`}>
        <Base.Value className="min-w-0 flex-1 truncate text-left" />
        <Icon name="down" className="size-4 text-muted" />
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner alignItemWithTrigger={false} sideOffset={4} collisionPadding={8} className="z-60 outline-none">
          <Base.Popup
            className={`${OVERLAY} max-h-(--available-height) min-w-(--anchor-width) max-w-(--available-width) overflow-y-auto p-1`}
          >
            {choices.map((choice) => (
              <Base.Item key={choice.value} value={choice.value} disabled={choice.disabled ?? false} className={OVERLAY_ITEM}>
                <ChoiceText choice={choice}>
                  <Base.ItemText>{choice.label}</Base.ItemText>
                </ChoiceText>
                <Base.ItemIndicator className="ml-auto pl-2 text-accent">
                  <Icon name="check" />
                </Base.ItemIndicator>
              </Base.Item>
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

/** Picture, name and explanation of a choice in its list. */
export function ChoiceText({ choice, children }: { readonly choice: Choice; readonly children: ReactNode }): JSX.Element {
  return (
    <>
      {choice.icon && <Icon name={choice.icon} className="size-4 text-muted" />}
      {choice.look && <StatusMark look={choice.look} />}
      <span className="grid min-w-0">
        <span className="truncate">{children}</span>
        {choice.hint !== undefined && <span className="text-xs text-muted">{choice.hint}</span>}
      </span>
    </>
  );
}
