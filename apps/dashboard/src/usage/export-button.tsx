import { useMutation } from '@tanstack/react-query';
import type { JSX } from 'react';
import { messageOf } from '../api/console-error.js';
import { call } from '../api/use-call.js';
import { announce } from '../ui/announcements.js';
import { Button } from '../ui/button.js';
import { readUsageByDay } from './read-usage.js';
import { useKeyNames } from './use-key-names.js';
import { usageCsv } from './usage-csv.js';
import type { UsageRange } from './usage-range.js';

function save(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/csv;charset=utf-8' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** Saves the range by day, deployment, alias and key. */
export function ExportButton({ range: { from, to } }: { readonly range: UsageRange }): JSX.Element {
  const nameOf = useKeyNames();
  const fetchRows = useMutation({
    mutationFn: () => readUsageByDay((question) => call('usage/query', question), { from, to, group_by: ['deployment', 'alias', 'key'] }),
    onSuccess: (rows) => save(`slipway-usage-${from.slice(0, 10)}-${to.slice(0, 10)}.csv`, usageCsv(rows, nameOf)),
    onError: (error) => announce(messageOf(error), 'bad'),
  });
  return (
    <Button busy={fetchRows.isPending} onClick={() => fetchRows.mutate()}>
      Export CSV
    </Button>
  );
}
