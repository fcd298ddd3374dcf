import { type JSX, lazy, Suspense } from 'react';
import { SETTINGS_SEARCH } from '../searches.js';
import { Page } from '../ui/page.js';
import { Skeleton } from '../ui/skeleton.js';
import { Tabs } from '../ui/tabs.js';
import { useUrlState } from '../url-state/use-url-state.js';
import { GeneralTab } from './general-tab.js';

const LimitsTab = lazy(async () => ({ default: (await import('./limits-tab.js')).LimitsTab }));

/** What holds for the whole account. The operator changes it; here it is read. */
export function SettingsScreen(): JSX.Element {
  const [{ tab }, set] = useUrlState(SETTINGS_SEARCH);
  const limits = (
    <Suspense fallback={<Skeleton shape="form" what="Account limits" />}>
      <LimitsTab />
    </Suspense>
  );
  return (
    <Page title="Settings" width="form">
      <Tabs
        label="Settings"
        value={tab}
        onChange={(next) => set({ tab: next })}
        items={[
          { value: 'general', label: 'General', href: '?tab=general', content: <GeneralTab /> },
          { value: 'limits', label: 'Limits and budgets', href: '?tab=limits', content: limits },
        ]}
      />
    </Page>
  );
}
