import { type JSX, useEffect, useRef, useState } from 'react';
import { useAccount, useMayChange } from '../session/use-session.js';
import { announce } from '../ui/announcements.js';
import { Page } from '../ui/page.js';
import { AttentionPanels } from './attention-panels.js';
import { ChecklistPanel } from './checklist-panel.js';
import { type ChecklistStep, isSetUp, isStarting, progressOf, type StepState } from './checklist.js';
import { RecentEvents } from './recent-events.js';
import { Standouts } from './standouts.js';
import { TodayPanel } from './today-panel.js';
import { useAccountProgress } from './use-account-progress.js';

/** What an account needs next: the first steps until a request has come, then today's figures and what needs attention. */
export function HomeScreen(): JSX.Element {
  const { role } = useAccount();
  const mayChange = useMayChange();
  const known = useProgress();
  const isNew = isStarting(known) && mayChange;
  return (
    <Page title="Home">
      {isNew ? <ChecklistPanel progress={known} /> : <TodayPanel />}
      <AttentionPanels />
      {!isNew && <Standouts />}
      {isSetUp(known) && mayChange && <ChecklistPanel progress={known} />}
      {role === 'owner' && <RecentEvents />}
    </Page>
  );
}

/** The steps taken so far. The first request is watched for, and announced when it comes. */
function useProgress(): Readonly<Record<ChecklistStep, StepState>> {
  const [isDone, setDone] = useState(false);
  const known = progressOf(useAccountProgress(!isDone));
  if (isSetUp(known) !== isDone) setDone(isSetUp(known));
  const { request } = known;
  const before = useRef(request);
  useEffect(() => {
    if (before.current === 'open' && request === 'done') announce('The first request arrived.');
    before.current = request;
  }, [request]);
  return known;
}
