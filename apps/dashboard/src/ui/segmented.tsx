import type { JSX } from 'react';

export interface SegmentedProps<T extends string> {
  /** Name of the group for screen readers. */
  readonly label: string;
  readonly choices: readonly { readonly value: T; readonly label: string; readonly title?: string }[];
  readonly value: T;
  readonly onChange: (value: T) => void;
}

/** One of two or three views, all in sight. */
export function Segmented<T extends string>({ label, choices, value, onChange }: SegmentedProps<T>): JSX.Element {
  return (
    <div role="group" aria-label={label} className="flex w-fit rounded-md border border-line bg-surface p-0.5">
      {choices.map((choice) => (
        <button
          key={choice.value}
          type="button"
          title={choice.title}
          aria-pressed={choice.value === value}
          onClick={() => onChange(choice.value)}
          className="min-h-6 rounded-sm px-2 text-xs whitespace-nowrap text-muted hover:text-ink aria-pressed:bg-sunken aria-pressed:font-medium aria-pressed:text-ink pointer-coarse:min-h-11"
        >
          {choice.label}
        </button>
      ))}
    </div>
  );
}
