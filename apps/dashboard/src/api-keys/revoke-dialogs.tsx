import type { KeyView } from '@slipway/contracts';
import type { JSX } from 'react';
import { useChange } from '../api/use-call.js';
import { plural } from '../format/number.js';
import { announce } from '../ui/announcements.js';
import { ConfirmDialog } from '../ui/confirm-dialog.js';
import { useNow } from '../ui/use-now.js';
import { KeyImpact } from './key-impact.js';
import { isInUse } from './key-state.js';
import { reachOf } from './reach.js';

const WHAT_HAPPENS = 'get 401 from now on, and answers under way end with an error. This cannot be undone.';

/** Asks before a key is revoked; one that is in use is named first. */
export function RevokeKeyDialog({ subject, onClose }: { readonly subject: KeyView; readonly onClose: () => void }): JSX.Element {
  const revoke = useChange('keys/revoke', ['keys/', 'audit/']);
  const isUsed = isInUse(subject, useNow());
  const go = async (): Promise<void> => {
    announce(reachOf(await revoke.mutateAsync({ key: subject.id }), `“${subject.name}” is revoked.`));
    onClose();
  };
  return (
    <ConfirmDialog
      title={`Revoke “${subject.name}”`}
      action="Revoke key"
      typed={isUsed ? subject.name : undefined}
      impact={<KeyImpact keys={[subject]} />}
      onConfirm={go}
      onClose={onClose}
    >
      Requests with this key {WHAT_HAPPENS}
    </ConfirmDialog>
  );
}

/** Most keys of one `keys/revoke-many`: `REVOKED_KEYS_MAX` of the contract, whose module brings its checks with it. */
const KEYS_PER_CALL = 100;

/** Numbers in groups for one call each. */
export const callsOf = (ids: readonly number[]): readonly (readonly number[])[] =>
  Array.from({ length: Math.ceil(ids.length / KEYS_PER_CALL) }, (_, call) => ids.slice(call * KEYS_PER_CALL, (call + 1) * KEYS_PER_CALL));

export interface RevokeKeysDialogProps {
  readonly keys: readonly KeyView[];
  readonly onRevoked: () => void;
  readonly onClose: () => void;
}

/** Asks before several keys are revoked together. */
export function RevokeKeysDialog({ keys, onRevoked, onClose }: RevokeKeysDialogProps): JSX.Element {
  const revoke = useChange('keys/revoke-many', ['keys/', 'audit/']);
  const now = useNow();
  const count = plural(keys.length, 'key');
  const isUsed = keys.some((key) => isInUse(key, now));
  const go = async (): Promise<void> => {
    let propagated = true;
    // One call after the other: after a failure the dialog stays, and what is revoked already is revoked again without harm.
    for (const ids of callsOf(keys.map(({ id }) => id))) {
      const reply = await revoke.mutateAsync({ keys: [...ids] });
      propagated &&= reply.propagated;
    }
    announce(reachOf({ propagated }, `${count} ${keys.length === 1 ? 'is' : 'are'} revoked.`));
    onRevoked();
    onClose();
  };
  return (
    <ConfirmDialog
      title={`Revoke ${count}`}
      action={`Revoke ${count}`}
      typed={isUsed ? `revoke ${keys.length}` : undefined}
      impact={<KeyImpact keys={keys} />}
      onConfirm={go}
      onClose={onClose}
    >
      <p>Requests with these keys {WHAT_HAPPENS}</p>
      <ul aria-label="Keys" className="mt-2 grid max-h-40 gap-1 overflow-y-auto rounded-md border border-line p-2 text-sm">
        {keys.map(({ id, name, hint }) => (
          <li key={id} className="flex min-w-0 items-baseline justify-between gap-3">
            <span title={name} className="truncate">
              {name}
            </span>
            <code className="shrink-0 text-xs text-muted">{hint}…</code>
          </li>
        ))}
      </ul>
    </ConfirmDialog>
  );
}
