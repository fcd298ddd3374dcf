import type { JSX } from 'react';
import { codeOf, messageOf } from '../api/console-error.js';
import { formatBytes, formatCompact, formatCount } from '../format/number.js';
import { KeyValues } from '../ui/key-values.js';
import { Notice } from '../ui/notice.js';
import { formatSeconds } from './job-words.js';
import { SettingsTable } from './settings-table.js';
import type { JobForm, JobPlan } from './use-job-form.js';

/** What the job would do, as far as it is filled in. */
export function PlanPanel({ plan: { value, error, isLoading } }: Pick<JobForm, 'plan'>): JSX.Element {
  return (
    <section
      aria-label="Plan"
      aria-busy={isLoading}
      className="grid grid-cols-[minmax(0,1fr)] gap-4 rounded-lg border border-line bg-surface p-4"
    >
      <h2 className="font-semibold">Plan</h2>
      {error !== null && error !== undefined && <Notice look={codeOf(error) === 'offline' ? 'warn' : 'bad'}>{messageOf(error)}</Notice>}
      {value && !error ? (
        <Plan plan={value} />
      ) : (
        !error && <p className="text-sm text-muted">Choose a base and a data set to see the plan.</p>
      )}
    </section>
  );
}

/** Warnings that only say how the plan was made: nothing is wrong. */
const REMARKS: ReadonlySet<string> = new Set(['not_counted', 'none_held_out']);

function timeText({ seconds }: JobPlan): string {
  if (seconds === null) return 'Known once this base was trained';
  const [low, high] = [formatSeconds(seconds.low), formatSeconds(seconds.high)];
  return low === high ? `About ${low}` : `${low} to ${high}`;
}

function Plan({ plan }: { readonly plan: JobPlan }): JSX.Element {
  return (
    <>
      {plan.warnings.map(({ code, message }) => (
        <Notice key={`${code} ${message}`} look={REMARKS.has(code) ? 'info' : 'warn'}>
          {message}
        </Notice>
      ))}
      <div className="text-sm">
        <KeyValues
          facts={[
            ['Examples', `${formatCount(plan.examples)} learned, ${formatCount(plan.held_out)} held out`],
            plan.left_out > 0 && ['Left out', formatCount(plan.left_out)],
            ['Steps', formatCount(plan.steps)],
            ['Tokens', `${formatCompact(plan.learned_tokens)} learned`],
            ['Time', timeText(plan)],
            plan.seconds !== null && ['Time from', plan.seconds.from],
            ['Memory', plan.memory_bytes === null ? 'Unknown for this base' : `About ${formatBytes(plan.memory_bytes)}`],
            ['Where', plan.placement],
            ['Trainer', plan.trainer],
            plan.keep_set ? ['Keep set', `${plan.keep_set.name} v${plan.keep_set.version}`] : false,
          ]}
        />
      </div>
      <SettingsTable settings={plan.settings} />
    </>
  );
}
