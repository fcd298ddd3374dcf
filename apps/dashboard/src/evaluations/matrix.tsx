import type { DeploymentResult, EvaluationView, GraderResult, PreferenceResult } from '@slipway/contracts';
import { Link } from '@tanstack/react-router';
import type { JSX, ReactNode } from 'react';
import { formatMs } from '../format/number.js';
import { useAccount } from '../session/use-session.js';
import { Dash } from '../ui/quantity.js';
import { Status } from '../ui/status.js';
import { deltaLook, deltaText, graderName, intervalText, preferenceText, shareText } from './evaluation-words.js';

const CELL = 'border-b border-line px-3 py-2 text-left align-top';

/** Deployments by graders: shares, what differs from the baseline, and how certain that is. */
export function Matrix({ evaluation }: { readonly evaluation: EvaluationView }): JSX.Element {
  const { graders, deployments, results } = evaluation;
  return (
    <div className="overflow-x-auto" tabIndex={0} role="region" aria-label="Results by deployment and grader">
      <table className="w-full min-w-max text-sm tabular-nums">
        <thead>
          <tr className="text-muted">
            <th scope="col" className={CELL}>
              Deployment
            </th>
            {graders.map((grader, at) => (
              <th key={at} scope="col" className={CELL}>
                {graderName(grader)}
              </th>
            ))}
            <th scope="col" className={CELL}>
              Median time
            </th>
          </tr>
        </thead>
        <tbody>
          {deployments.map((deployment, at) => (
            <Row key={deployment.deployment} isBaseline={at === 0} result={results[at]} {...{ deployment, graders }} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface RowProps {
  readonly deployment: EvaluationView['deployments'][number];
  readonly graders: EvaluationView['graders'];
  readonly isBaseline: boolean;
  readonly result: DeploymentResult | undefined;
}

function Row({ deployment: { deployment, name, adapter, has_changed: hasChanged }, graders, isBaseline, result }: RowProps): JSX.Element {
  const { slug: account } = useAccount();
  const about = [isBaseline && 'baseline', adapter && `${adapter.name} v${adapter.version}`, hasChanged && 'changed since'].filter(Boolean);
  return (
    <tr>
      <th scope="row" className={`${CELL} font-medium`}>
        <Link to="/$account/deployments/$slug" params={{ account, slug: `deployment-${deployment}` }} className="link">
          {name}
        </Link>
        <span className="block text-xs font-normal text-muted">{about.join(' · ')}</span>
        {result !== undefined && result.failed > 0 && (
          <span className="block text-xs font-normal text-bad">{result.failed} without an answer</span>
        )}
      </th>
      {graders.map((_, at) => (
        <td key={at} className={CELL}>
          <Cell
            graded={result?.graders.find(({ grader }) => grader === at)}
            preferred={result?.preferences.find(({ grader }) => grader === at)}
          />
        </td>
      ))}
      <td className={CELL}>{result?.median_ms == null ? <Dash /> : formatMs(result.median_ms)}</td>
    </tr>
  );
}

function Cell({
  graded,
  preferred,
}: {
  readonly graded: GraderResult | undefined;
  readonly preferred: PreferenceResult | undefined;
}): JSX.Element {
  if (graded?.rate)
    return (
      <Figure share={`${shareText(graded.rate.share)} (${graded.passed} of ${graded.of})`} below={intervalText(graded.rate)}>
        {graded.delta && <Status look={deltaLook(graded.delta)} text={deltaText(graded.delta)} />}
      </Figure>
    );
  if (preferred && preferred.wins + preferred.losses + preferred.ties + preferred.unread > 0)
    return (
      <Figure
        share={preferred.rate ? `${shareText(preferred.rate.share)} preferred` : 'Ties alone'}
        below={preferred.rate ? intervalText(preferred.rate) : ''}
      >
        <span className="text-xs text-muted">{preferenceText(preferred)}</span>
      </Figure>
    );
  return <Dash />;
}

function Figure({ share, below, children }: { readonly share: string; readonly below: string; readonly children: ReactNode }): JSX.Element {
  return (
    <div className="grid gap-0.5">
      <span className="font-medium">{share}</span>
      <span className="text-xs text-muted">{below}</span>
      {children}
    </div>
  );
}
