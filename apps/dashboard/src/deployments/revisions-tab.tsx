import type { RevisionView } from '@slipway/contracts';
import { modelNameOf } from '@slipway/contracts/engines';
import { type JSX, useMemo, useState } from 'react';
import { formatCount } from '../format/number.js';
import { DEPLOYMENT_SEARCH, REVISIONS_SEARCH } from '../searches.js';
import { useMayChange } from '../session/use-session.js';
import { DataTable } from '../ui/data-table/data-table.js';
import { Truncated } from '../ui/data-table/truncated.js';
import type { Column, RowAction } from '../ui/data-table/types.js';
import { Moment } from '../ui/moment.js';
import { Dash } from '../ui/quantity.js';
import { Status } from '../ui/status.js';
import { useUrlState } from '../url-state/use-url-state.js';
import type { DeploymentDetails } from './deployment-details.js';
import { eventActor } from './event-words.js';
import { changedSettings, revisionState } from './revision-diff.js';
import { RevisionDrawer } from './revision-drawer.js';
import { useMemberNames } from '../api/lists.js';
import { RollBackDialog } from './roll-back-dialog.js';

const keyOf = ({ rev }: RevisionView): number => rev;
const titleOf = ({ rev }: RevisionView): string => `revision ${rev}`;

type NameOf = ReturnType<typeof useMemberNames>;

/** Who made it; a dash where that is not known. */
const makerOf = ({ by }: Pick<RevisionView, 'by'>, nameOf: NameOf): string => (by == null ? '–' : (eventActor({ by }, nameOf) ?? '–'));

/** What the deployment ran. Each change of its settings is a revision; the old one serves until the new one is ready. */
export function RevisionsTab({ details: { deployment, revisions } }: { readonly details: DeploymentDetails }): JSX.Element {
  const mayChange = useMayChange();
  const state = useUrlState(REVISIONS_SEARCH);
  const [{ diff }, set] = useUrlState(DEPLOYMENT_SEARCH);
  const [rollingBack, setRollingBack] = useState<number | null>(null);
  const nameOf = useMemberNames();
  const columns = useMemo(() => columnsOf(deployment, revisions, nameOf), [deployment, revisions, nameOf]);
  const shown = revisions.find(({ rev }) => rev === diff);
  const rowActions = ({ rev }: RevisionView): readonly RowAction[] => [
    { label: 'Compare', onSelect: () => set({ diff: rev }, { push: true }) },
    ...(mayChange && rev !== deployment.rev ? [{ label: 'Roll back', onSelect: () => setRollingBack(rev) }] : []),
  ];
  return (
    <>
      <DataTable
        label="Revisions"
        rows={revisions}
        {...{ columns, keyOf, state, rowActions }}
        nameOf={titleOf}
        onOpen={({ rev }) => set({ diff: rev }, { push: true })}
        empty={<p className="text-muted">No revisions yet.</p>}
      />
      <RevisionDrawer
        key={diff}
        {...{ revisions, deployment, diff }}
        maker={shown ? makerOf(shown, nameOf) : '–'}
        onRollBack={mayChange ? setRollingBack : undefined}
        onClose={() => set({ diff: 0 }, { push: true })}
      />
      {rollingBack !== null && <RollBackDialog deployment={deployment} rev={rollingBack} onClose={() => setRollingBack(null)} />}
    </>
  );
}

function columnsOf(
  deployment: DeploymentDetails['deployment'],
  revisions: readonly RevisionView[],
  nameOf: NameOf,
): readonly Column<RevisionView>[] {
  return [
    { id: 'rev', title: 'Revision', width: 96, value: ({ rev }) => rev, cell: ({ rev }) => `Revision ${rev}` },
    {
      id: 'state',
      title: 'State',
      width: 108,
      card: 'status',
      value: ({ rev }) => revisionState(rev, deployment).text,
      cell: ({ rev }) => <Status {...revisionState(rev, deployment)} />,
    },
    {
      id: 'when',
      title: 'When',
      width: 104,
      card: 'figure',
      value: ({ created_at: at }) => at,
      cell: ({ created_at: at }) => <Moment at={at} />,
    },
    { id: 'who', title: 'Who', width: 150, value: (row) => makerOf(row, nameOf), cell: (row) => <Truncated text={makerOf(row, nameOf)} /> },
    {
      id: 'note',
      title: 'Note',
      width: 180,
      value: ({ note }) => note ?? null,
      cell: ({ note }) => (note ? <Truncated text={note} /> : <Dash />),
    },
    ...settingColumns(revisions),
  ];
}

/** What a revision changed, and its settings. */
const settingColumns = (revisions: readonly RevisionView[]): readonly Column<RevisionView>[] => [
  {
    id: 'changes',
    title: 'Changes',
    width: 140,
    value: (row) => changesText(row, revisions),
    cell: (row) => <Truncated text={changesText(row, revisions)} />,
  },
  {
    id: 'model',
    title: 'Model',
    width: 150,
    value: ({ source }) => modelNameOf(source),
    cell: ({ source }) => <Truncated text={modelNameOf(source)} cut="middle" />,
  },
  {
    id: 'context',
    title: 'Context',
    numeric: true,
    hidden: true,
    value: ({ context }) => context,
    cell: ({ context }) => (context === null ? 'Default' : formatCount(context)),
  },
  {
    id: 'slots',
    title: 'Slots',
    numeric: true,
    width: 72,
    hidden: true,
    value: ({ slots }) => slots,
    cell: ({ slots }) => formatCount(slots),
  },
];

/** What a revision changed against the one before. */
function changesText(revision: RevisionView, revisions: readonly RevisionView[]): string {
  if (revision.rev === 1) return 'First revision';
  const before = revisions.find(({ rev }) => rev === revision.rev - 1);
  if (!before) return '–';
  const changed = changedSettings(before, revision);
  return changed.length === 0 ? 'Credential' : changed.join(', ');
}
