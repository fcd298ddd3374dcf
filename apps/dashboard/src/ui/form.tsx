import { type JSX, type ReactNode, useEffect, useRef } from 'react';
import {
  type FieldPath,
  type FieldValues,
  FormProvider,
  type RegisterOptions,
  type UseFormRegisterReturn,
  type UseFormReturn,
} from 'react-hook-form';
import { ConsoleError, messageOf } from '../api/console-error.js';
import { Button, type ButtonLook } from './button.js';
import { Dialog, DialogButtons } from './dialog.js';
import { Notice } from './notice.js';

export interface FormProps<T extends FieldValues> {
  readonly form: UseFormReturn<T>;
  /** Runs once every field is valid. What it throws is shown at the field that the error names, or above the button. */
  readonly submit: (values: T) => Promise<unknown>;
  readonly children: ReactNode;
  /** The button that submits, with its companions. */
  readonly buttons: ReactNode;
  readonly className?: string;
  /** Focuses its first field that is to be filled in, where a page has nothing else. */
  readonly isAlone?: boolean;
}

/** A form of react-hook-form: an invalid one keeps its values and focuses the first field that is wrong. */
export function Form<T extends FieldValues>({ form, submit, children, buttons, className = '', isAlone }: FormProps<T>): JSX.Element {
  const drawn = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (isAlone) drawn.current?.querySelector<HTMLElement>('input:not([readonly])')?.focus();
  }, [isAlone]);
  const onValid = async (values: T): Promise<void> => {
    try {
      await submit(values);
    } catch (error) {
      const field = error instanceof ConsoleError && error.param !== null && error.param in values ? (error.param as FieldPath<T>) : 'root';
      form.setError(field, { message: messageOf(error) }, { shouldFocus: true });
    }
  };
  const { root } = form.formState.errors;
  return (
    <FormProvider {...form}>
      <form ref={drawn} className={`grid gap-4 ${className}`} noValidate onSubmit={(event) => void form.handleSubmit(onValid)(event)}>
        {children}
        {root?.message !== undefined && <Notice look="bad">{root.message}</Notice>}
        {buttons}
      </form>
    </FormProvider>
  );
}

/** Props of a field: how react-hook-form reads it, and what is wrong with its value. */
export function fieldOf<T extends FieldValues, N extends FieldPath<T>>(
  form: UseFormReturn<T>,
  name: N,
  rules?: RegisterOptions<T, N>,
): UseFormRegisterReturn<N> & { readonly fault: string | undefined } {
  return { ...form.register(name, rules), fault: form.getFieldState(name, form.formState).error?.message };
}

/** A rule of a field that `faultOf` words; null = the value is good. */
export const without =
  <V,>(faultOf: (value: V) => string | null) =>
  (value: V): string | true =>
    faultOf(value) ?? true;

export interface FormDialogProps<T extends FieldValues> extends Omit<FormProps<T>, 'buttons' | 'className'> {
  readonly title: string;
  /** Words on the button that submits. */
  readonly action: string;
  readonly look?: ButtonLook;
  /** True where there is nothing to submit yet. */
  readonly disabled?: boolean;
  readonly onClose: () => void;
}

/** A dialog with a form, a button to cancel and one to submit. */
export function FormDialog<T extends FieldValues>({
  title,
  action,
  look = 'main',
  disabled = false,
  onClose,
  ...form
}: FormDialogProps<T>): JSX.Element {
  const buttons = (
    <DialogButtons>
      <Button onClick={onClose}>Cancel</Button>
      <Button type="submit" look={look} busy={form.form.formState.isSubmitting} disabled={disabled}>
        {action}
      </Button>
    </DialogButtons>
  );
  return (
    <Dialog title={title} onClose={onClose}>
      <Form {...form} buttons={buttons} />
    </Dialog>
  );
}
