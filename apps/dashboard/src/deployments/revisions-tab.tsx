import type { RevisionView } from '@slipway/contracts';
import { sourceText } from '@slipway/contracts/engines';
import type { JSX } from 'react';
import { messageOf } from '../api/console-error.js';
import { useChange } from '../api/use-call.js';
import { formatCount } from '../format/number.js';
import { useMayChange } from '../session/use-session.js';
import { announce } from '../ui/announcements.js';
import { Button } from '../ui/button.js';
import { Moment } from '../ui/moment.js';
import { type Column, Table, Truncated } from '../ui/table.js';
import type { DeploymentDetails } from './deployment-details.js';

const orDefault = (value: number | null): string => (value === null ? 'Default' : formatCount(value));

/** What the deployment ran. Each change of its settings is a revision; the old one serves until the new one is ready. */
export function RevisionsTab({ details: { deployment, revisions } }: { readonly details: DeploymentDetails }): JSX.Element {
  const mayChange = useMayChange();
  const update = useChange('deployments/update', ['deployments/']);
  const goBack = (rev: number): void =>
    update.mutate(
      { deployment: deployment.id, base: rev },
      {
        onSuccess: ({ rev: made }) => announce(`Revision ${made} has the settings of revision ${rev}.`),
        onError: (error) => announce(messageOf(error), 'bad'),
      },
    );
  const columns: Column<RevisionView>[] = [
    {
      title: 'Revision',
      cell: ({ rev }) => `${rev}${rev === (deployment.serving_rev ?? null) ? ', serves' : ''}${rev === deployment.rev ? ', newest' : ''}`,
    },
    { title: 'Made', cell: ({ created_at: at }) => <Moment at={at} /> },
    { title: 'Model', cell: ({ source }) => <Truncated text={sourceText(source)} /> },
    { title: 'Context', numeric: true, cell: ({ context }) => orDefault(context) },
    { title: 'Slots', numeric: true, cell: ({ slots }) => formatCount(slots) },
    { title: 'Answer length', numeric: true, cell: ({ default_max_tokens: longest }) => orDefault(longest) },
  ];
  if (mayChange && revisions.length > 1) {
    columns.push({
      title: '',
      cell: ({ rev }) =>
        rev === deployment.rev ? null : (
          <Button busy={update.isPending && update.variables.base === rev} onClick={() => goBack(rev)}>
            Use again
          </Button>
        ),
    });
  }
  return <Table caption="Revisions" columns={columns} rows={revisions} keyOf={({ rev }) => rev} />;
}
