import { type JSX, type ReactNode, useId } from 'react';

export interface FieldProps {
  readonly label: string;
  readonly hint?: ReactNode;
  /** What is wrong with the value. */
  readonly fault?: string | null | undefined;
  /** Shows the control alone; the label stays its name. For bars of filters. */
  readonly bare?: boolean | undefined;
}

/** What a control needs to belong to its label, hint and fault. */
export interface Wiring {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': true | undefined;
}

interface LabelledProps extends FieldProps {
  /** The control is no element of HTML that a `<label>` can name: it takes `labelId(wiring)` as `aria-labelledby`. */
  readonly drawn?: boolean;
  readonly children: (wiring: Wiring) => ReactNode;
}

/** Id of the label of a drawn control. */
export const labelId = ({ id }: Pick<Wiring, 'id'>): string => `${id}-label`;

/** A control with its label above, and its hint and fault below. */
export function Labelled({ label, hint, fault, bare = false, drawn = false, children }: LabelledProps): JSX.Element {
  const id = useId();
  const about = [hint !== undefined && `${id}-hint`, Boolean(fault) && `${id}-fault`].filter(Boolean).join(' ');
  const look = bare ? 'sr-only' : 'text-sm font-medium';
  return (
    <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] content-start gap-1.5">
      {drawn ? (
        <span id={labelId({ id })} className={look}>
          {label}
        </span>
      ) : (
        <label htmlFor={id} className={look}>
          {label}
        </label>
      )}
      {children({ id, 'aria-describedby': about || undefined, 'aria-invalid': fault ? true : undefined })}
      <Below id={id} hint={hint} fault={fault} />
    </div>
  );
}

/** Hint and fault of a control with this id. */
export function Below({ id, hint, fault }: Pick<FieldProps, 'hint' | 'fault'> & { readonly id: string }): JSX.Element {
  return (
    <>
      {hint !== undefined && (
        <p id={`${id}-hint`} className="text-xs text-muted">
          {hint}
        </p>
      )}
      {fault && (
        <p id={`${id}-fault`} className="text-xs text-bad" role="alert">
          {fault}
        </p>
      )}
    </>
  );
}
