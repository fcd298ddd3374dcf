import { type JSX, lazy, Suspense, useState } from 'react';
import { useCall } from '../api/use-call.js';
import { useMayChange } from '../session/use-session.js';
import { Button } from '../ui/button.js';
import { Loaded } from '../ui/loaded.js';
import { Notice } from '../ui/notice.js';
import { Empty } from '../ui/page.js';
import { Checkbox } from '../ui/toggles.js';
import { AccountLimits, UsedUpBudgets } from './account-limits.js';
import type { KeyTask } from './key-dialog.js';
import { KeysTable } from './keys-table.js';

const KeyDialog = lazy(async () => ({ default: (await import('./key-dialog.js')).KeyDialog }));

export function DeploymentKeys(): JSX.Element {
  const [before, setBefore] = useState<number | undefined>();
  const keys = useCall('keys/list', before === undefined ? {} : { before }, { keep: true, every: () => 10_000 });
  const mayChange = useMayChange();
  const [doing, setDoing] = useState<KeyTask | null>(null);
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
      <Suspense>{doing && <KeyDialog doing={doing} onChange={setDoing} />}</Suspense>
    </div>
  );
}
