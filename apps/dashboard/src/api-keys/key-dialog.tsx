import type { KeyView } from '@slipway/contracts';
import type { JSX } from 'react';
import { CreateKeyDialog } from './create-key-dialog.js';
import { KeyLimitsDialog } from './key-limits-dialog.js';
import { RenameKeyDialog } from './rename-key-dialog.js';
import { RevealDialog } from './reveal-dialog.js';
import { RevokeKeyDialog } from './revoke-key-dialog.js';
import { RotateKeyDialog } from './rotate-key-dialog.js';

/** What somebody does with a key, or with a new one. */
export type KeyTask =
  | { readonly kind: 'create' }
  | { readonly kind: 'rename'; readonly key: KeyView }
  | { readonly kind: 'limit'; readonly key: KeyView }
  | { readonly kind: 'rotate'; readonly key: KeyView }
  | { readonly kind: 'revoke'; readonly key: KeyView }
  /** The only place that ever holds a value. */
  | { readonly kind: 'reveal'; readonly name: string; readonly value: string };

export interface KeyDialogProps {
  readonly doing: KeyTask;
  readonly onChange: (doing: KeyTask | null) => void;
}

/** The dialog for it. */
export function KeyDialog({ doing, onChange }: KeyDialogProps): JSX.Element {
  const close = (): void => onChange(null);
  const reveal = (name: string, value: string): void => onChange({ kind: 'reveal', name, value });
  switch (doing.kind) {
    case 'create':
      return <CreateKeyDialog onClose={close} onCreated={reveal} />;
    case 'rename':
      return <RenameKeyDialog subject={doing.key} onClose={close} />;
    case 'limit':
      return <KeyLimitsDialog subject={doing.key} onClose={close} />;
    case 'rotate':
      return <RotateKeyDialog subject={doing.key} onClose={close} onRotated={(value) => reveal(doing.key.name, value)} />;
    case 'revoke':
      return <RevokeKeyDialog subject={doing.key} onClose={close} />;
    case 'reveal':
      return <RevealDialog name={doing.name} value={doing.value} onDone={close} />;
  }
}
