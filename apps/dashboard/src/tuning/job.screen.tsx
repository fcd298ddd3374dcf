import type { JobView } from '@slipway/contracts';
import { useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { type JSX, lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react';
import { codeOf, messageOf } from '../api/console-error.js';
import { useCall, useChange } from '../api/use-call.js';
import { JOB_SEARCH, JOB_TABS, type JobTab } from '../searches.js';
import { useAccount, useMayChange } from '../session/use-session.js';
import { Missing } from '../shell/faults.js';
import { announce } from '../ui/announcements.js';
import { Button, buttonClass } from '../ui/button.js';
import { Icon } from '../ui/icon.js';
import { Loaded } from '../ui/loaded.js';
import { Menu } from '../ui/menu.js';
import { Notice } from '../ui/notice.js';
import { Page } from '../ui/page.js';
import { Skeleton, type SkeletonShape } from '../ui/skeleton.js';
import { Status } from '../ui/status.js';
import { Tabs } from '../ui/tabs.js';
import { useUrlState } from '../url-state/use-url-state.js';
import { CancelJobDialog } from './cancel-job-dialog.js';
import { ProgressTab } from './progress-tab.js';
import { actionsOf, isOver, isWaiting, JOB_STATES, type JobAction, jobText, PRIORITIES, priorityText, reasonOf } from './job-words.js';
import { LOOK_EVERY_MS } from './use-jobs.js';

const AnswersTab = lazy(async () => ({ default: (await import('./answers-tab.js')).AnswersTab }));
const EventsTab = lazy(async () => ({ default: (await import('./events-tab.js')).EventsTab }));
const LogTab = lazy(async () => ({ default: (await import('./job-log-tab.js')).JobLogTab }));
const SettingsTab = lazy(async () => ({ default: (await import('./job-settings-tab.js')).JobSettingsTab }));

const TITLES: Readonly<Record<JobTab, string>> = {
  progress: 'Progress',
  answers: 'Answers over time',
  events: 'Events',
  log: 'Log',
  settings: 'Settings',
};

const later = (what: string, shape: SkeletonShape, tab: ReactNode): JSX.Element => (
  <Suspense fallback={<Skeleton shape={shape} what={what} count={4} />}>{tab}</Suspense>
);

const CONTENTS: Readonly<Record<JobTab, (job: JobView) => JSX.Element>> = {
  progress: (job) => <ProgressTab job={job} />,
  answers: (job) => later('Answers', 'text', <AnswersTab job={job} />),
  events: (job) => later('Events', 'text', <EventsTab job={job} />),
  log: (job) => later('Log', 'text', <LogTab job={job} />),
  settings: (job) => later('Settings', 'table', <SettingsTab job={job} />),
};

/** One job: how far it is, what it learned, and what can be done with it. */
export function JobScreen(): JSX.Element {
  const { id } = useParams({ from: '/inside/$account/fine-tuning/$id' });
  return /^[1-9]\d{0,9}$/.test(id) ? <Found key={id} id={Number(id)} /> : <Missing />;
}

function Found({ id }: { readonly id: number }): JSX.Element {
  const { slug: account } = useAccount();
  const [{ tab }, set] = useUrlState(JOB_SEARCH);
  const found = useCall(
    'jobs/find',
    { job: id },
    { every: (data) => (data && isOver(data.job) ? LOOK_EVERY_MS.settled : LOOK_EVERY_MS.running) },
  );
  const job = found.data?.job;
  useLastLook(job?.state);
  if (['job_not_found', 'invalid_request'].includes(codeOf(found.error))) return <Missing />;
  return (
    <Page
      title={job?.name ?? `Job ${id}`}
      beside={
        job && (
          <span aria-live="polite">
            <Status look={JOB_STATES[job.state].look} text={jobText(job)} />
          </span>
        )
      }
      about={job && <About job={job} />}
      actions={job && <JobActions job={job} />}
    >
      <Loaded query={found} what="Job" shape="figures" rows={4}>
        {({ job: shown }) => (
          <>
            <Standing job={shown} />
            <Tabs
              label="Parts of the job"
              value={tab}
              onChange={(value) => set({ tab: value }, { push: true })}
              items={JOB_TABS.map((value) => ({
                value,
                label: TITLES[value],
                href: `/${account}/fine-tuning/${id}${value === 'progress' ? '' : `?tab=${value}`}`,
                content: value === tab ? CONTENTS[value](shown) : null,
              }))}
            />
          </>
        )}
      </Loaded>
    </Page>
  );
}

/** Asks for the parts of a job once more when its state changes: what came before its end is not all. */
function useLastLook(state: JobView['state'] | undefined): void {
  const client = useQueryClient();
  const before = useRef(state);
  useEffect(() => {
    if (before.current !== undefined && before.current !== state)
      void client.invalidateQueries({
        predicate: ({ queryKey: [name] }) => /^jobs\/(?:checkpoints|events|samples|output)$/.test(String(name)),
      });
    before.current = state;
  }, [client, state]);
}

/** Base and data set. */
function About({ job }: { readonly job: JobView }): JSX.Element {
  const { slug: account } = useAccount();
  return (
    <>
      {job.base} on{' '}
      <Link
        to="/$account/data-sets/$name"
        params={{ account, name: job.dataset_name }}
        search={{ v: String(job.version) }}
        className="text-accent underline"
      >
        {job.dataset_name} v{job.version}
      </Link>
      {job.host !== null && !isOver(job) && ` · on ${job.host}`}
    </>
  );
}

/** Why it waits or failed, and where its adapter is. */
function Standing({ job }: { readonly job: JobView }): JSX.Element | null {
  const { slug: account } = useAccount();
  const reason = job.reason === 'resumed' ? null : reasonOf(job);
  const look = job.state === 'failed' ? 'bad' : waitLook(job);
  return (
    <>
      {reason !== null && job.state !== 'succeeded' && (
        <Notice look={look}>
          {reason.text} {reason.advice}
        </Notice>
      )}
      {job.adapter !== null && (
        <Notice
          look={job.passed === false ? 'warn' : 'good'}
          action={
            <Link to="/$account/fine-tuning/adapters/$id" params={{ account, id: String(job.adapter) }} className={buttonClass('main')}>
              Open the adapter
            </Link>
          }
        >
          {adapterText(job)}
        </Notice>
      )}
    </>
  );
}

/** A wait for other jobs is no fault. */
const waitLook = ({ reason }: JobView): 'info' | 'warn' => (reason === 'no_slot' || reason === 'account_limit' ? 'info' : 'warn');

function adapterText({ passed }: JobView): string {
  if (passed === null) return 'The adapter is made. Its verdict is not decided yet.';
  return passed ? 'The adapter passed every check.' : 'The adapter is made, but it did not pass every check. Its page says which.';
}

function JobActions({ job }: { readonly job: JobView }): JSX.Element | null {
  const { slug: account } = useAccount();
  const mayChange = useMayChange();
  const [isCancelling, setCancelling] = useState(false);
  const pause = useChange('jobs/pause', ['jobs/']);
  const resume = useChange('jobs/resume', ['jobs/']);
  if (!mayChange) return null;
  const can = actionsOf(job);
  const act = (action: Extract<JobAction, 'pause' | 'resume'>): void =>
    void { pause, resume }[action].mutateAsync({ job: job.id }).catch((error: unknown) => announce(messageOf(error), 'bad'));
  return (
    <>
      {isWaiting(job) && <PriorityMenu job={job} />}
      {can.includes('pause') && (
        <Button icon="pause" busy={pause.isPending} onClick={() => act('pause')}>
          Pause
        </Button>
      )}
      {can.includes('resume') && (
        <Button icon="play" busy={resume.isPending} onClick={() => act('resume')}>
          Resume
        </Button>
      )}
      {can.includes('cancel') && (
        <Button icon="close" onClick={() => setCancelling(true)}>
          Cancel job
        </Button>
      )}
      <Link to="/$account/fine-tuning/new" params={{ account }} search={{ again: String(job.id) }} className={buttonClass('plain')}>
        <Icon name="rotate" />
        Run again with changes
      </Link>
      {isCancelling && <CancelJobDialog job={job} onClose={() => setCancelling(false)} />}
    </>
  );
}

/** Changes when a waiting job runs, among those of its account. */
function PriorityMenu({ job }: { readonly job: JobView }): JSX.Element {
  const change = useChange('jobs/set-priority', ['jobs/']);
  const set = (priority: number): void =>
    void change.mutateAsync({ job: job.id, priority }).catch((error: unknown) => announce(messageOf(error), 'bad'));
  return (
    <Menu
      label={`Priority: ${priorityText(job.priority)}`}
      triggerClass={buttonClass('plain')}
      trigger={
        <>
          <Icon name="sort" className="-ml-0.5 size-4" />
          Priority: {priorityText(job.priority)}
        </>
      }
      entries={PRIORITIES.map(({ value, label }) => ({
        label,
        checked: value === String(job.priority),
        onSelect: () => set(Number(value)),
      }))}
    />
  );
}
