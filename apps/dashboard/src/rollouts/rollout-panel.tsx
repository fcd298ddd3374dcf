import type { DeploymentView, RolloutView } from '@slipway/contracts';
import { Link } from '@tanstack/react-router';
import { type JSX, useState } from 'react';
import { useCall } from '../api/use-call.js';
import { useDeployments } from '../deployments/use-deployments.js';
import { slugOf } from '../deployments/inference-target.js';
import { useAccount, useMayChange } from '../session/use-session.js';
import { Button } from '../ui/button.js';
import { ProgressBar } from '../ui/meter.js';
import { Moment } from '../ui/moment.js';
import { Notice } from '../ui/notice.js';
import { Panel } from '../ui/page.js';
import { Status } from '../ui/status.js';
import { RolloutDialog, type RolloutStep } from './rollout-dialog.js';
import { RolloutSuite } from './rollout-suite.js';
import { figureRows, guardText, STATES, waitText } from './rollout-words.js';

/** How often figures are asked for while a rollout runs, in milliseconds. */
const FIGURES_EVERY_MS = 5_000;

export interface RolloutPanelProps {
  /** As the list shows it, without figures. */
  readonly rollout: RolloutView;
  /** The deployment on whose page it stands. */
  readonly here: DeploymentView['id'];
}

/** A rollout of an alias: its share, the figures of both sides, and what can be done. */
export function RolloutPanel({ rollout: listed, here }: RolloutPanelProps): JSX.Element {
  const { slug } = useAccount();
  const isRunning = listed.state === 'running';
  const found = useCall('rollouts/find', { alias: listed.alias }, { every: () => isRunning && FIGURES_EVERY_MS, keep: true });
  const rollout = found.data?.rollout.id === listed.id ? found.data.rollout : listed;
  const [look, text] = STATES[rollout.state];
  return (
    <Panel title={`Rollout of ${slug}/${rollout.alias}`} actions={<Status look={look} text={text} />}>
      <ProgressBar
        label="Share of the candidate"
        share={rollout.percent / 100}
        text={`${rollout.percent} % of conversations go to the candidate`}
      />
      {rollout.reason !== null && <Notice look={rollout.state === 'rolled_back' ? 'warn' : 'info'}>{rollout.reason}</Notice>}
      <Figures rollout={rollout} here={here} />
      {rollout.suite && <RolloutSuite suite={rollout.suite} reason={rollout.reason} />}
      <p className="text-sm text-muted">
        {guardText(rollout)} {waitText(rollout)}
      </p>
      <Actions rollout={rollout} />
    </Panel>
  );
}

/** Who is on a side, with a link to it. */
function SideName({
  id,
  here,
  side,
}: {
  readonly id: DeploymentView['id'];
  readonly here: DeploymentView['id'];
  readonly side: string;
}): JSX.Element {
  const { slug: account } = useAccount();
  const { data } = useDeployments();
  const name = data?.find((one) => one.id === id)?.name ?? slugOf({ id });
  return (
    <>
      <span className="block text-xs text-muted">{side}</span>
      {id === here ? (
        name
      ) : (
        <Link to="/$account/deployments/$slug" params={{ account, slug: slugOf({ id }) }} className="underline">
          {name}
        </Link>
      )}
    </>
  );
}

function Figures({ rollout, here }: { readonly rollout: RolloutView; readonly here: DeploymentView['id'] }): JSX.Element {
  const { stable, candidate, figures, since, alias } = rollout;
  const rows = figures ? figureRows(figures) : [];
  const cell = 'px-2 py-1.5 align-top wrap-anywhere';
  return (
    <div className="overflow-hidden rounded-lg border border-line">
      <table aria-label={`Figures of ${alias}`} className="w-full table-fixed text-left text-sm">
        <thead className="border-b border-line">
          <tr>
            <th scope="col" className={`${cell} w-2/5 text-xs font-medium text-muted`}>
              Since <Moment at={since} />
            </th>
            <th scope="col" className={`${cell} font-medium`}>
              <SideName id={stable} here={here} side="Stable" />
            </th>
            <th scope="col" className={`${cell} font-medium`}>
              <SideName id={candidate} here={here} side="Candidate" />
            </th>
          </tr>
        </thead>
        <tbody className="tabular-nums">
          {rows.map(([what, one, other]) => (
            <tr key={what} className="border-line not-last:border-b">
              <th scope="row" className={`${cell} font-normal text-muted`}>
                {what}
              </th>
              <td className={cell}>{one}</td>
              <td className={cell}>{other}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length === 0 && <p className="px-2 py-1.5 text-sm text-muted">No figures.</p>}
    </div>
  );
}

function Actions({ rollout }: { readonly rollout: RolloutView }): JSX.Element | null {
  const mayChange = useMayChange();
  const [step, setStep] = useState<RolloutStep | null>(null);
  if (!mayChange || rollout.state === 'rolled_back') return null;
  const isRunning = rollout.state === 'running';
  return (
    <div className="flex flex-wrap gap-2">
      {isRunning && <Button onClick={() => setStep('advance')}>Advance</Button>}
      {isRunning && <Button onClick={() => setStep('promote')}>Promote</Button>}
      <Button look="danger" onClick={() => setStep('back')}>
        Roll back
      </Button>
      {step !== null && <RolloutDialog step={step} rollout={rollout} onClose={() => setStep(null)} />}
    </div>
  );
}
