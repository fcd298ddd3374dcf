import type { KeyView } from '@slipway/contracts';
import type { JSX } from 'react';
import { useForm, useWatch } from 'react-hook-form';
import { useChange } from '../api/use-call.js';
import { TextField } from '../ui/field.js';
import { fieldOf, FormDialog } from '../ui/form.js';
import { CreateKeyDialog, SameName } from './create-key-dialog.js';
import { KeyExpiryDialog } from './key-expiry-dialog.js';
import { KeyAccessDialog, KeyLimitsDialog } from './key-limit-dialogs.js';
import type { KeyAction } from './key-state.js';
import { RevealDialog } from './reveal-dialog.js';
import { RevokeKeyDialog, RevokeKeysDialog } from './revoke-dialogs.js';
import { RotateKeyDialog } from './rotate-key-dialog.js';

/** What somebody does with keys. */
export type KeyTask =
  | { readonly kind: 'create' }
  | { readonly kind: KeyAction; readonly key: KeyView }
  | { readonly kind: 'revoke-many'; readonly keys: readonly KeyView[]; readonly clear: () => void }
  /** The only place that holds a value. */
  | {
      readonly kind: 'reveal';
      readonly name: string;
      readonly value: string;
      /** What the key opens; null = all. */
      readonly deployments: readonly number[] | null;
    };

export interface KeyDialogProps {
  readonly doing: KeyTask;
  readonly onChange: (doing: KeyTask | null) => void;
}

/** The dialog for it. */
export function KeyDialog({ doing, onChange }: KeyDialogProps): JSX.Element {
  const onClose = (): void => onChange(null);
  const reveal = (name: string, value: string, deployments: readonly number[] | null): void =>
    onChange({ kind: 'reveal', name, value, deployments });
  switch (doing.kind) {
    case 'create':
      return <CreateKeyDialog onClose={onClose} onCreated={reveal} />;
    case 'rename':
      return <RenameKeyDialog subject={doing.key} onClose={onClose} />;
    case 'limits':
      return <KeyLimitsDialog subject={doing.key} onClose={onClose} />;
    case 'access':
      return <KeyAccessDialog subject={doing.key} onClose={onClose} />;
    case 'expiry':
      return <KeyExpiryDialog subject={doing.key} onClose={onClose} />;
    case 'rotate': {
      const { key } = doing;
      return <RotateKeyDialog subject={key} onClose={onClose} onRotated={(value) => reveal(key.name, value, key.deployments ?? null)} />;
    }
    case 'revoke':
      return <RevokeKeyDialog subject={doing.key} onClose={onClose} />;
    case 'revoke-many':
      return <RevokeKeysDialog keys={doing.keys} onRevoked={doing.clear} onClose={onClose} />;
    case 'reveal':
      return <RevealDialog name={doing.name} value={doing.value} deployments={doing.deployments} onDone={onClose} />;
  }
}

function RenameKeyDialog({ subject, onClose }: { readonly subject: KeyView; readonly onClose: () => void }): JSX.Element {
  const form = useForm({ defaultValues: { name: subject.name } });
  const rename = useChange('keys/rename', ['keys/', 'audit/']);
  const typed = useWatch({ control: form.control, name: 'name' });
  const submit = async ({ name }: { readonly name: string }): Promise<void> => {
    await rename.mutateAsync({ key: subject.id, name: name.trim() });
    onClose();
  };
  return (
    <FormDialog title="Rename key" action="Rename" form={form} submit={submit} onClose={onClose}>
      <TextField
        label="Name"
        maxLength={100}
        autoComplete="off"
        {...fieldOf(form, 'name', { validate: (text) => text.trim() !== '' || 'Enter a name.' })}
      />
      <SameName name={typed} except={subject.id} />
    </FormDialog>
  );
}
