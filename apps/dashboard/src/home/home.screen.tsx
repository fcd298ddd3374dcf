import type { JSX } from 'react';
import { useAccount, useMayChange } from '../session/use-session.js';
import { Page } from '../ui/page.js';
import { AttentionPanels } from './attention-panels.js';
import { ChecklistPanel } from './checklist-panel.js';
import { isSetUp, progressOf } from './checklist.js';
import { RecentEvents } from './recent-events.js';
import { TodayPanel } from './today-panel.js';
import { useAccountProgress } from './use-account-progress.js';

/** What an account needs next: the first steps until a request has come, then today's figures and what needs attention. */
export function HomeScreen(): JSX.Element {
  const { slug, role } = useAccount();
  const mayChange = useMayChange();
  const known = progressOf(useAccountProgress(true));
  const isStarting = !isSetUp(known) && mayChange;
  return (
    <Page title="Home" about={`Account ${slug}`}>
      {isStarting ? <ChecklistPanel progress={known} /> : <TodayPanel />}
      <AttentionPanels />
      {!isStarting && mayChange && <ChecklistPanel progress={known} />}
      {role === 'owner' && <RecentEvents />}
    </Page>
  );
}
