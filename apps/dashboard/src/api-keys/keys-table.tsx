import type { KeyView } from '@slipway/contracts';
import type { UseQueryResult } from '@tanstack/react-query';
import { type JSX, type ReactNode, useCallback, useMemo } from 'react';
import { API_KEYS_SEARCH } from '../searches.js';
import { useAccount, useMayChange } from '../session/use-session.js';
import { DataTable } from '../ui/data-table/data-table.js';
import type { BulkAction, Column, Facet } from '../ui/data-table/types.js';
import { Moment } from '../ui/moment.js';
import { Quantity } from '../ui/quantity.js';
import { Status } from '../ui/status.js';
import { useUrlState } from '../url-state/use-url-state.js';
import { AccessCell, BudgetCell, ExpiryText, MomentOrNever, NameCell, UsageCell } from './key-cells.js';
import { accessOf, ALL_DEPLOYMENTS, type KeyRow } from './key-rows.js';
import { ACTION_WORDS, actionsOf, type KeyAction, STANDING_WORDS, STANDINGS } from './key-state.js';
import { useDeploymentNames } from '../api/lists.js';

export interface KeysTableProps {
  readonly rows: readonly KeyRow[] | undefined;
  readonly query: UseQueryResult<readonly KeyView[]>;
  readonly onAction: (action: KeyAction, key: KeyView) => void;
  /** @param clear ends the selection */
  readonly onRevoke: (keys: readonly KeyView[], clear: () => void) => void;
  readonly empty: ReactNode;
  readonly actions?: ReactNode;
}

const columnsOf = (nameOf: (id: number) => string): readonly Column<KeyRow>[] => [...shownColumns(nameOf), ...OPTIONAL_COLUMNS];

const shownColumns = (nameOf: (id: number) => string): readonly Column<KeyRow>[] => [
  { id: 'name', title: 'Name', cell: (row) => <NameCell row={row} />, value: ({ name }) => name, width: 220, pin: 'left' },
  {
    id: 'state',
    title: 'State',
    cell: ({ standing }) => <Status {...STANDING_WORDS[standing]} />,
    value: ({ standing }) => STANDING_WORDS[standing].text,
    width: 100,
    card: 'status',
  },
  {
    id: 'access',
    title: 'Access',
    cell: (row) => <AccessCell row={row} nameOf={nameOf} />,
    value: ({ deployments }) => deployments?.map(nameOf).join(' ') ?? 'All',
    width: 130,
  },
  {
    id: 'usage',
    title: 'Usage 30 d',
    cell: (row) => <UsageCell row={row} />,
    value: ({ tokens }) => tokens,
    numeric: true,
    width: 112,
    card: 'figure',
  },
  {
    id: 'budget',
    title: 'Budget',
    cell: (row) => <BudgetCell row={row} />,
    value: ({ budget }) => budget && budget.used / budget.limit,
    numeric: true,
    width: 148,
  },
  {
    id: 'used',
    title: 'Last used',
    cell: ({ last_used_at: at }) => <MomentOrNever at={at} />,
    value: ({ last_used_at: at }) => at ?? null,
    width: 100,
  },
  { id: 'expires', title: 'Expires', cell: (row) => <ExpiryText subject={row} />, value: ({ expires_at: at }) => at ?? null, width: 106 },
];

const OPTIONAL_COLUMNS: readonly Column<KeyRow>[] = [
  {
    id: 'requests',
    title: 'Requests 30 d',
    cell: ({ requests }) => <Quantity kind="count" value={requests} />,
    value: ({ requests }) => requests,
    numeric: true,
    hidden: true,
    width: 116,
  },
  { id: 'owner', title: 'Owner', cell: ({ owner }) => owner ?? '–', value: ({ owner }) => owner, hidden: true, width: 160 },
  { id: 'hint', title: 'Key', cell: ({ hint }) => <code>{hint}…</code>, value: ({ hint }) => hint, hidden: true, width: 136 },
  { id: 'created', title: 'Created', cell: ({ created_at: at }) => <Moment at={at} />, value: ({ created_at: at }) => at, hidden: true },
  {
    id: 'rotated',
    title: 'Rotated',
    cell: ({ rotated_at: at }) => <MomentOrNever at={at} />,
    value: ({ rotated_at: at }) => at ?? null,
    hidden: true,
  },
];

const facetsOf = (nameOf: (id: number) => string): readonly Facet<KeyRow>[] => [
  {
    id: 'state',
    title: 'State',
    of: ({ standing }) => [standing],
    words: (value) => STANDING_WORDS[value as KeyRow['standing']]?.text ?? value,
    values: STANDINGS,
    hidden: ['revoked'],
  },
  { id: 'owner', title: 'Owner', of: ({ owner }) => (owner === null ? [] : [owner]) },
  {
    id: 'access',
    title: 'Access',
    of: accessOf,
    words: (value) => (value === ALL_DEPLOYMENTS ? 'All deployments' : nameOf(Number(value))),
  },
];

/** The deployment keys of the account. Revoked ones are shown where somebody filters by their state. */
export function KeysTable({ rows, query, onAction, onRevoke, empty, actions }: KeysTableProps): JSX.Element {
  const { slug } = useAccount();
  const mayChange = useMayChange();
  const [state, set] = useUrlState(API_KEYS_SEARCH);
  const nameOf = useDeploymentNames();
  const columns = useMemo(() => columnsOf(nameOf), [nameOf]);
  const facets = useMemo(() => facetsOf(nameOf), [nameOf]);
  const rowHref = useCallback(({ id }: KeyRow) => `/${slug}/api-keys/${id}`, [slug]);
  const bulk: readonly BulkAction<KeyRow>[] = [
    {
      label: 'Revoke',
      danger: true,
      disabled: (chosen) => chosen.every(({ standing }) => standing === 'revoked'),
      onSelect: (chosen, clear) =>
        onRevoke(
          chosen.filter(({ standing }) => standing !== 'revoked'),
          clear,
        ),
    },
  ];
  return (
    <DataTable
      label="Deployment keys"
      {...{ rows, query, columns, facets, rowHref, empty, actions }}
      keyOf={keyOf}
      nameOf={nameOfKey}
      state={[state, set]}
      {...(mayChange && {
        bulkActions: bulk,
        rowActions: (row: KeyRow) =>
          actionsOf(row).map((action) => ({
            label: ACTION_WORDS[action],
            danger: action === 'revoke',
            onSelect: () => onAction(action, row),
          })),
      })}
    />
  );
}

const keyOf = ({ id }: KeyRow): number => id;
const nameOfKey = ({ name }: KeyRow): string => name;
