import type { JobView } from '@slipway/contracts';
import { Link } from '@tanstack/react-router';
import type { JSX } from 'react';
import { useActorNames } from '../activity/use-actor-names.js';
import { useAccount } from '../session/use-session.js';
import { KeyValues } from '../ui/key-values.js';
import { Moment } from '../ui/moment.js';
import { Panel } from '../ui/page.js';
import { priorityText } from './job-words.js';
import { SettingsTable } from './settings-table.js';

const onOff = (on: boolean | undefined): string => (on === false ? 'Not needed' : 'Needed');

function keepText({ keep_points: points }: JobView['gate']): string {
  if (points === undefined) return 'Automatic';
  return points === null ? 'Off' : `May lose ${points} points`;
}

/** How a job was set up: its resolved settings with their reasons, its checks, and what follows. */
export function JobSettingsTab({ job }: { readonly job: JobView }): JSX.Element {
  const { slug: account } = useAccount();
  const { gate, follow, source_job: source } = job;
  const nameOf = useActorNames();
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 lg:grid-cols-2">
      <Panel title="Settings">
        <SettingsTable settings={job.settings} />
      </Panel>
      <Panel title="Verdict and origin">
        <KeyValues
          facts={[
            ['Trainer', job.trainer],
            ['Priority', priorityText(job.priority)],
            ['Lower held-out loss', onOff(gate.held_loss)],
            ['No degenerate answer', onOff(gate.degenerate)],
            ['Keep set', keepText(gate)],
            job.keep_set ? ['Kept conversations', `${job.keep_set.name} v${job.keep_set.version}`] : false,
            [
              'After success',
              follow.deploy ? `Deploy${follow.deploy.alias === undefined ? '' : ` as ${account}/${follow.deploy.alias}`}` : 'Nothing',
            ],
            source !== null && [
              'Settings from',
              <Link key="source" to="/$account/fine-tuning/$id" params={{ account, id: String(source) }} className="text-accent underline">
                job {source}
              </Link>,
            ],
            ['Created by', nameOf(job.created_by)],
            ['Created', <Moment key="created" at={job.created_at} exact />],
            job.started_at !== null && ['Started', <Moment key="started" at={job.started_at} exact />],
            job.finished_at !== null && ['Ended', <Moment key="ended" at={job.finished_at} exact />],
          ]}
        />
      </Panel>
    </div>
  );
}
