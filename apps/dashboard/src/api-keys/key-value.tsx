import { type JSX, useId } from 'react';
import { CopyButton } from '../ui/copy-button.js';

/** A key's whole value, for the one time that it is shown. */
export function KeyValue({ value }: { readonly value: string }): JSX.Element {
  const id = useId();
  return (
    <div className="grid gap-1">
      <label htmlFor={id} className="text-sm font-medium">
        Key
      </label>
      <div className="flex flex-wrap gap-2">
        <input
          id={id}
          readOnly
          value={value}
          spellCheck={false}
          autoComplete="off"
          onFocus={(event) => event.target.select()}
          className="field min-w-0 flex-1 basis-64 font-mono text-sm"
        />
        <CopyButton text={value} look="main" label="Copy key" />
      </div>
    </div>
  );
}
