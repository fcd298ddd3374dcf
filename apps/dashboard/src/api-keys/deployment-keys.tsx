import { type JSX, lazy, Suspense, useState } from 'react';
import { API_KEYS_SEARCH } from '../searches.js';
import { useMayChange } from '../session/use-session.js';
import { Button } from '../ui/button.js';
import { EmptyState } from '../ui/empty-state.js';
import { Notice } from '../ui/notice.js';
import type { TableState } from '../url-state/table-search.js';
import { useUrlState } from '../url-state/use-url-state.js';
import type { KeyTask } from './key-dialog.js';
import type { KeyRow } from './key-rows.js';
import { KeysTable } from './keys-table.js';
import { useKeyRows } from './use-keys.js';

const KeyDialog = lazy(async () => ({ default: (await import('./key-dialog.js')).KeyDialog }));

const CREATE: KeyTask = { kind: 'create' };

/** The tab of the deployment keys: their list, and what is done with them. */
export function DeploymentKeys(): JSX.Element {
  const [state, set] = useUrlState(API_KEYS_SEARCH);
  const mayChange = useMayChange();
  const [task, setTask] = useState<KeyTask | null>(null);
  const { query, rows } = useKeyRows();
  const doing = task ?? (state.create && mayChange ? CREATE : null);
  const change = (next: KeyTask | null): void => {
    setTask(next);
    if (state.create) set({ create: false, tab: 'keys' });
  };
  const create = mayChange ? (
    <Button look="main" icon="plus" data-shortcut="create" onClick={() => change(CREATE)}>
      Create API key
    </Button>
  ) : undefined;
  const allRevoked = isUnfiltered(state) && areAllRevoked(rows);
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
      {!mayChange && <Notice look="info">Viewers can see keys but not change them. An owner can make you a member.</Notice>}
      <KeysTable
        rows={allRevoked ? [] : rows}
        query={query}
        onAction={(kind, key) => setTask({ kind, key })}
        onRevoke={(keys, clear) => setTask({ kind: 'revoke-many', keys, clear })}
        actions={create}
        empty={
          <NoKeys create={create} {...(allRevoked && { onRevoked: () => set({ facets: { ...state.facets, state: ['revoked'] } }) })} />
        }
      />
      <Suspense>{doing && <KeyDialog doing={doing} onChange={change} />}</Suspense>
    </div>
  );
}

const isUnfiltered = ({ q, facets }: TableState): boolean => q === '' && Object.values(facets).every(({ length }) => length === 0);

/** Revoked keys are hidden by default: a list of nothing else would read as one in which nothing matches. */
const areAllRevoked = (rows: readonly KeyRow[] | undefined): boolean =>
  rows !== undefined && rows.length > 0 && rows.every(({ standing }) => standing === 'revoked');

interface NoKeysProps {
  readonly create: JSX.Element | undefined;
  /** Shows the revoked ones; absent where there are none. */
  readonly onRevoked?: () => void;
}

function NoKeys({ create, onRevoked }: NoKeysProps): JSX.Element {
  const actions = (
    <>
      {create}
      {onRevoked && <Button onClick={onRevoked}>Show revoked keys</Button>}
    </>
  );
  return (
    <EmptyState
      title={onRevoked ? 'No active keys' : 'No keys yet'}
      icon="key"
      action={actions}
      command='npx slipway keys create "my laptop"'
    >
      A deployment key lets a program call the deployments of this account.
    </EmptyState>
  );
}
