import { type JSX, useId } from 'react';
import { CopyButton, CopyIcon } from './copy-button.js';

/** A value in one line with its copy button: a base URL, a slug. */
export function CopyField({
  label,
  value,
  bare = false,
}: {
  readonly label: string;
  readonly value: string;
  readonly bare?: boolean;
}): JSX.Element {
  return (
    <div className="grid min-w-0 content-start gap-1.5">
      <span className={bare ? 'sr-only' : 'text-sm font-medium'}>{label}</span>
      <div className="flex min-h-8 min-w-0 items-center gap-1 rounded-md border border-line bg-sunken pl-2.5 pr-0.5">
        <code title={value} className="min-w-0 flex-1 truncate text-code">
          {value}
        </code>
        <CopyIcon text={value} />
      </div>
    </div>
  );
}

export interface SecretFieldProps {
  readonly label: string;
  readonly value: string;
  /** Words on the button: "Copy key". */
  readonly copy: string;
}

/** A whole secret, selected when it gets the focus. */
export function SecretField({ label, value, copy }: SecretFieldProps): JSX.Element {
  const id = useId();
  return (
    <div className="grid gap-1.5">
      <label htmlFor={id} className="text-sm font-medium">
        {label}
      </label>
      <div className="flex flex-wrap gap-2">
        <input
          id={id}
          readOnly
          value={value}
          spellCheck={false}
          autoComplete="off"
          onFocus={(event) => event.target.select()}
          className="field min-w-0 flex-1 basis-64 font-mono"
        />
        <CopyButton text={value} look="main" label={copy} />
      </div>
    </div>
  );
}
