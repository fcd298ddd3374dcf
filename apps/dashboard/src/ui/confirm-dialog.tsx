import { type JSX, type ReactNode, Suspense } from 'react';
import { useForm, useWatch } from 'react-hook-form';
import { TextField } from './field.js';
import { fieldOf, FormDialog } from './form.js';

export interface ConfirmDialogProps {
  readonly title: string;
  /** Words on the button that does it: "Delete deployment". */
  readonly action: string;
  /** What will happen. */
  readonly children: ReactNode;
  /** Who is affected: "42 requests in the last hour by 3 keys". May suspend; the button does not wait for it. */
  readonly impact?: ReactNode;
  /** What must be typed first; for what cannot be undone. */
  readonly typed?: string | undefined;
  /** False for what is no loss. */
  readonly danger?: boolean;
  /** Does it. What it throws is shown, and the dialog stays. */
  readonly onConfirm: () => Promise<unknown>;
  readonly onClose: () => void;
}

/** Asks before something is done that others notice. */
export function ConfirmDialog({
  title,
  action,
  children,
  impact,
  typed,
  danger = true,
  onConfirm,
  onClose,
}: ConfirmDialogProps): JSX.Element {
  const form = useForm({ defaultValues: { typed: '' } });
  const written = useWatch({ control: form.control, name: 'typed' });
  const disabled = typed !== undefined && written.trim() !== typed.trim();
  return (
    <FormDialog {...{ title, action, form, onClose, disabled }} look={danger ? 'danger' : 'main'} submit={onConfirm}>
      <div>{children}</div>
      {impact !== undefined && (
        <div className="min-h-5 text-sm font-medium">
          <Suspense fallback={<span className="text-muted">Checking who uses it…</span>}>{impact}</Suspense>
        </div>
      )}
      {typed !== undefined && (
        <TextField label={`Type ${typed} to confirm`} autoComplete="off" spellCheck={false} {...fieldOf(form, 'typed')} />
      )}
    </FormDialog>
  );
}
