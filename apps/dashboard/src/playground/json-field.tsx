import type { JSX, ReactNode } from 'react';
import { Button } from '../ui/button.js';
import { TextArea } from '../ui/field.js';

export interface JsonFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
  readonly fault: string | undefined;
  readonly hint?: ReactNode;
  /** A value that is written into the empty field on request. */
  readonly example: object;
  readonly disabled: boolean;
}

/** The text as JSON with indents; null where it is no JSON. */
function indented(text: string): string | null {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return null;
  }
}

/** An editor of JSON that is checked while somebody types. */
export function JsonField({ label, value, onChange, fault, hint, example, disabled }: JsonFieldProps): JSX.Element {
  const formatted = indented(value);
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-1.5">
      <TextArea
        label={label}
        value={value}
        fault={fault}
        hint={hint}
        disabled={disabled}
        rows={Math.min(14, Math.max(4, value.split('\n').length))}
        spellCheck={false}
        className="resize-y font-mono text-code whitespace-pre"
        onChange={({ target }) => onChange(target.value)}
      />
      {!disabled && (
        <div className="flex flex-wrap gap-1">
          {value.trim() === '' ? (
            <Button
              look="quiet"
              icon="plus"
              aria-label={`Insert example into ${label}`}
              onClick={() => onChange(JSON.stringify(example, null, 2))}
            >
              Insert example
            </Button>
          ) : (
            <>
              <Button
                look="quiet"
                aria-label={`Format ${label}`}
                disabled={formatted === null || formatted === value}
                onClick={() => formatted !== null && onChange(formatted)}
              >
                Format
              </Button>
              <Button look="quiet" aria-label={`Clear ${label}`} onClick={() => onChange('')}>
                Clear
              </Button>
            </>
          )}
        </div>
      )}
    </div>
  );
}
