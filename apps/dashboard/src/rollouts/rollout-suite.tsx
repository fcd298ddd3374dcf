import type { RolloutView } from '@slipway/contracts';
import { Link } from '@tanstack/react-router';
import type { JSX } from 'react';
import { useAccount } from '../session/use-session.js';
import { Status } from '../ui/status.js';
import { suiteFigure, suiteState } from './rollout-words.js';

export interface RolloutSuiteProps {
  readonly suite: NonNullable<RolloutView['suite']>;
  /** Why the rollout ended, which is shown elsewhere already. */
  readonly reason: string | null;
}

/** What the suite of a rollout says of its candidate, with a link to the evaluation. */
export function RolloutSuite({ suite, reason }: RolloutSuiteProps): JSX.Element {
  const { slug: account } = useAccount();
  const { evaluation, detail, figures } = suite;
  const [look, text] = suiteState(suite);
  return (
    <div className="grid gap-1 text-sm">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h3 className="font-medium">Evaluation by its suite</h3>
        <Status look={look} text={text} />
        {evaluation !== null && (
          <Link to="/$account/evaluations/$id" params={{ account, id: String(evaluation) }} className="underline">
            Evaluation {evaluation}
          </Link>
        )}
      </div>
      {figures.length > 0 && (
        <ul className="tabular-nums">
          {figures.map((figure, at) => (
            // A suite may have two graders of a kind, and their order stays.
            <li key={at}>
              <span className="text-muted">{figure.grader}</span> {suiteFigure(figure)}
            </li>
          ))}
        </ul>
      )}
      {detail !== null && detail !== reason && <p className="text-muted wrap-anywhere">{detail}</p>}
    </div>
  );
}
