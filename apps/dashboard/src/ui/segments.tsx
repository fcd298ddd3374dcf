import type { JSX } from 'react';

export interface SegmentsProps<T extends string> {
  /** What is chosen: "View". */
  readonly label: string;
  readonly choices: readonly { readonly value: T; readonly label: string }[];
  readonly value: T;
  readonly onChange: (value: T) => void;
}

/** One of two to five short choices, all of them visible. */
export function Segments<T extends string>({ label, choices, value, onChange }: SegmentsProps<T>): JSX.Element {
  return (
    <div role="group" aria-label={label} className="flex w-fit max-w-full overflow-x-auto rounded-md border border-rim bg-sunken p-0.5">
      {choices.map((choice) => (
        <button
          key={choice.value}
          type="button"
          aria-pressed={choice.value === value}
          onClick={() => onChange(choice.value)}
          className="min-h-6.5 rounded-sm px-2.5 text-sm whitespace-nowrap text-muted transition-colors hover:text-ink aria-pressed:bg-raised aria-pressed:font-medium aria-pressed:text-ink aria-pressed:shadow-sm pointer-coarse:min-h-10"
        >
          {choice.label}
        </button>
      ))}
    </div>
  );
}
