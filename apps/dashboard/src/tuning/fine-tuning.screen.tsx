import { Link } from '@tanstack/react-router';
import { type JSX, lazy, Suspense, useState } from 'react';
import { AdaptersTable } from '../adapters/adapters-table.js';
import { FINE_TUNING_SEARCH, FINE_TUNING_TABS } from '../searches.js';
import { useAccount, useMayChange } from '../session/use-session.js';
import { Button, buttonClass } from '../ui/button.js';
import { Icon } from '../ui/icon.js';
import { Page } from '../ui/page.js';
import { Tabs } from '../ui/tabs.js';
import { useUrlState } from '../url-state/use-url-state.js';
import { JobsTable } from './jobs-table.js';

const ImportDialog = lazy(async () => ({ default: (await import('../adapters/import-dialog.js')).ImportDialog }));

const TITLES = { jobs: 'Jobs', adapters: 'Adapters' } as const;

/** Training jobs, and the adapters that they made. */
export function FineTuningScreen(): JSX.Element {
  const { slug: account } = useAccount();
  const mayChange = useMayChange();
  const [isImporting, setImporting] = useState(false);
  const [{ tab }, set] = useUrlState(FINE_TUNING_SEARCH);
  return (
    <Page
      title="Fine-tuning"
      about="Jobs train small adapters for a base model. An adapter is served as a deployment of its own."
      actions={
        mayChange && (
          <>
            {tab === 'adapters' && (
              <Button icon="upload" onClick={() => setImporting(true)}>
                Import adapter
              </Button>
            )}
            <Link to="/$account/fine-tuning/new" params={{ account }} className={buttonClass('main')} data-shortcut="create">
              <Icon name="plus" />
              New job
            </Link>
          </>
        )
      }
    >
      <Tabs
        label="Jobs and adapters"
        value={tab}
        onChange={(value) => set({ tab: value }, { push: true })}
        items={FINE_TUNING_TABS.map((value) => ({
          value,
          label: TITLES[value],
          href: `/${account}/fine-tuning${value === 'jobs' ? '' : `?tab=${value}`}`,
          content: value === tab && (value === 'jobs' ? <JobsTable /> : <AdaptersTable />),
        }))}
      />
      <Suspense fallback={null}>{isImporting && <ImportDialog onClose={() => setImporting(false)} />}</Suspense>
    </Page>
  );
}
