import type { JSX } from 'react';
import { useCall } from '../api/use-call.js';
import { formatBytes } from '../format/number.js';
import { Loaded } from '../ui/loaded.js';
import { Empty, Page } from '../ui/page.js';
import { Table, Truncated } from '../ui/table.js';

export function ModelsScreen(): JSX.Element {
  const models = useCall('models/list', {});
  return (
    <Page title="Models" about="Models that this account can deploy: files on the workers, and sources of its deployments.">
      <Loaded query={models} what="Models">
        {({ models: rows }) =>
          rows.length === 0 ? (
            <Empty title="No models yet">Put GGUF files into a model folder of the workers, or deploy one from a URL.</Empty>
          ) : (
            <Table
              caption="Models"
              rows={rows}
              keyOf={({ source }) => JSON.stringify(source)}
              columns={[
                { title: 'Name', cell: ({ name }) => <Truncated strong text={name} /> },
                { title: 'Source', cell: ({ source }) => source.kind },
                { title: 'Size', numeric: true, cell: ({ bytes }) => (bytes === null ? '–' : formatBytes(bytes)) },
                { title: 'Workers', cell: ({ hosts }) => hosts.join(', ') || '–' },
                { title: 'Deployments', numeric: true, cell: ({ deployments }) => deployments.length },
              ]}
            />
          )
        }
      </Loaded>
    </Page>
  );
}
