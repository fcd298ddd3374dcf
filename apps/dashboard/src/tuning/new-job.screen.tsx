import { Link } from '@tanstack/react-router';
import type { JSX } from 'react';
import { useAccount, useMayChange } from '../session/use-session.js';
import { Button, buttonClass } from '../ui/button.js';
import { EmptyState } from '../ui/empty-state.js';
import { Notice } from '../ui/notice.js';
import { Page } from '../ui/page.js';
import { AdvancedFields } from './advanced-fields.js';
import { JobFields } from './job-fields.js';
import { PlanPanel } from './plan-panel.js';
import { useJobForm } from './use-job-form.js';

/** Plans a job while it is filled in, and starts it. */
export function NewJobScreen(): JSX.Element {
  const mayChange = useMayChange();
  return (
    <Page title="New job">
      {mayChange ? (
        <NewJob />
      ) : (
        <EmptyState title="Viewers cannot start jobs" icon="lock">
          Ask an owner of the account for another role.
        </EmptyState>
      )}
    </Page>
  );
}

function NewJob(): JSX.Element {
  const { slug: account } = useAccount();
  const form = useJobForm();
  const nobody = form.bases?.workers === 0;
  return (
    <form
      noValidate
      aria-label="New job"
      className="grid grid-cols-[minmax(0,1fr)] items-start gap-6 lg:grid-cols-[minmax(0,40rem)_minmax(18rem,26rem)] lg:grid-rows-[auto_1fr]"
      onSubmit={(event) => {
        event.preventDefault();
        void form.submit();
      }}
    >
      <div className="grid grid-cols-[minmax(0,1fr)] gap-5">
        {nobody && (
          <Notice look="warn">
            No training worker is connected. <code className="text-code">npm start</code> brings one; elsewhere the operator starts{' '}
            <code className="text-code">training-worker</code>.
          </Notice>
        )}
        <JobFields form={form} />
        <AdvancedFields form={form} />
      </div>
      <aside className="lg:sticky lg:top-18 lg:row-span-2">
        <PlanPanel plan={form.plan} />
      </aside>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
        {form.refusal !== null && <Notice look="bad">{form.refusal}</Notice>}
        <div className="flex flex-wrap gap-2 border-t border-line pt-4">
          <Link to="/$account/fine-tuning" params={{ account }} className={buttonClass('plain')}>
            Cancel
          </Link>
          <Button type="submit" look="main" icon="train" busy={form.busy} className="ml-auto">
            Start training
          </Button>
        </div>
      </div>
    </form>
  );
}
