import type { KeyView } from '@slipway/contracts';
import { type JSX, useState } from 'react';
import { useCall } from '../api/use-call.js';
import { useMayChange } from '../session/use-session.js';
import { Button } from '../ui/button.js';
import { Loaded } from '../ui/loaded.js';
import { Notice } from '../ui/notice.js';
import { Empty } from '../ui/page.js';
import { Checkbox } from '../ui/toggles.js';
import { AccountLimits, UsedUpBudgets } from './account-limits.js';
import { CreateKeyDialog } from './create-key-dialog.js';
import { KeyLimitsDialog } from './key-limits-dialog.js';
import { KeysTable } from './keys-table.js';
import { RenameKeyDialog } from './rename-key-dialog.js';
import { RevealDialog } from './reveal-dialog.js';
import { RevokeKeyDialog } from './revoke-key-dialog.js';
import { RotateKeyDialog } from './rotate-key-dialog.js';

type Doing =
  | { readonly kind: 'create' }
  | { readonly kind: 'rename'; readonly key: KeyView }
  | { readonly kind: 'limit'; readonly key: KeyView }
  | { readonly kind: 'rotate'; readonly key: KeyView }
  | { readonly kind: 'revoke'; readonly key: KeyView }
  /** The only place that ever holds a value. */
  | { readonly kind: 'reveal'; readonly name: string; readonly value: string };

export function DeploymentKeys(): JSX.Element {
  const [before, setBefore] = useState<number | undefined>();
  const keys = useCall('keys/list', before === undefined ? {} : { before }, { keep: true, every: () => 10_000 });
  const mayChange = useMayChange();
  const [doing, setDoing] = useState<Doing | null>(null);
  const [withRevoked, setWithRevoked] = useState(false);
  const create = (
    <Button look="main" icon="plus" onClick={() => setDoing({ kind: 'create' })}>
      Create API key
    </Button>
  );
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      {!mayChange && <Notice look="info">You may look at keys. To create or change them, ask an owner to make you a member.</Notice>}
      <UsedUpBudgets />
      <Loaded query={keys} what="Deployment keys">
        {({ keys: all, next }) => {
          const revoked = all.filter(({ state }) => state === 'revoked').length;
          const shown = withRevoked ? all : all.filter(({ state }) => state !== 'revoked');
          return (
            <>
              <div className="flex flex-wrap items-center justify-between gap-3">
                <Checkbox
                  label={`Show revoked keys${revoked > 0 ? ` (${revoked})` : ''}`}
                  checked={withRevoked}
                  onChange={setWithRevoked}
                />
                {mayChange && shown.length > 0 && create}
              </div>
              {shown.length === 0 ? (
                <Empty title={all.length === 0 ? 'No keys yet' : 'No keys that open anything'} action={mayChange ? create : undefined}>
                  A deployment key opens this account’s deployments to a program that sends it.
                </Empty>
              ) : (
                <KeysTable keys={shown} onAction={(kind, key) => setDoing({ kind, key })} />
              )}
              {(next != null || before !== undefined) && (
                <div className="flex gap-2">
                  {before !== undefined && <Button onClick={() => setBefore(undefined)}>Newest keys</Button>}
                  {next != null && <Button onClick={() => setBefore(next)}>Older keys</Button>}
                </div>
              )}
            </>
          );
        }}
      </Loaded>
      <AccountLimits />
      {doing && <KeyDialog doing={doing} onChange={setDoing} />}
    </div>
  );
}

interface KeyDialogProps {
  readonly doing: Doing;
  readonly onChange: (doing: Doing | null) => void;
}

function KeyDialog({ doing, onChange }: KeyDialogProps): JSX.Element {
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
