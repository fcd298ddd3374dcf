import type { EvaluationView } from '@slipway/contracts';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { type JSX, useState } from 'react';
import { codeOf } from '../api/console-error.js';
import { useCall, useChange } from '../api/use-call.js';
import { useAccount, useMayChange } from '../session/use-session.js';
import { Missing } from '../shell/faults.js';
import { Button, buttonClass } from '../ui/button.js';
import { ConfirmDialog } from '../ui/confirm-dialog.js';
import { KeyValues } from '../ui/key-values.js';
import { Loaded } from '../ui/loaded.js';
import { Notice } from '../ui/notice.js';
import { Page, Panel } from '../ui/page.js';
import { Status } from '../ui/status.js';
import { EVALUATION_STATES, graderDetail, graderName, isOver } from './evaluation-words.js';
import { ItemsPanel } from './items-panel.js';
import { Matrix } from './matrix.js';
import { LOOK_EVERY_MS } from './use-evaluations.js';

/** One evaluation: its figures, and the answers side by side. */
export function EvaluationScreen(): JSX.Element {
  const { id } = useParams({ from: '/inside/$account/evaluations/$id' });
  return /^[1-9]\d{0,9}$/.test(id) ? <Found key={id} id={Number(id)} /> : <Missing />;
}

/** An evaluation, asked for again while it runs. */
export const useEvaluation = (id: number) =>
  useCall(
    'evaluations/find',
    { evaluation: id },
    {
      every: (data) => (data && isOver(data.evaluation) ? LOOK_EVERY_MS.settled : LOOK_EVERY_MS.running),
    },
  );

function Found({ id }: { readonly id: number }): JSX.Element {
  const found = useEvaluation(id);
  if (['evaluation_not_found', 'invalid_request'].includes(codeOf(found.error))) return <Missing />;
  const evaluation = found.data?.evaluation;
  return (
    <Page
      title={`Evaluation ${id}`}
      beside={evaluation && <Status {...EVALUATION_STATES[evaluation.state]} />}
      about={evaluation && `${evaluation.suite_name} on ${evaluation.dataset_name} v${evaluation.version}`}
      actions={evaluation && <Actions evaluation={evaluation} />}
    >
      <Loaded query={found} what="Evaluation" shape="figures" rows={3}>
        {({ evaluation: shown }) => <Parts evaluation={shown} />}
      </Loaded>
    </Page>
  );
}

function Parts({ evaluation }: { readonly evaluation: EvaluationView }): JSX.Element {
  const { state, detail, done, total, graders } = evaluation;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-6">
      {detail !== null && <Notice look={state === 'failed' ? 'bad' : 'warn'}>{detail}</Notice>}
      {!isOver(evaluation) && (
        <div className="grid gap-1">
          <progress className="h-2 w-full" aria-label="Answers and verdicts" max={Math.max(1, total)} value={done} />
          <span className="text-sm text-muted tabular-nums">
            {total === 0 ? 'Choosing the conversations' : `${done} of ${total} answers and verdicts`}
          </span>
        </div>
      )}
      <Panel
        title="Results"
        about="Shares with 95 % intervals after Wilson; differences to the baseline on the same items, after Bonett and Price."
      >
        <Matrix evaluation={evaluation} />
      </Panel>
      <ItemsPanel evaluation={evaluation} />
      <Panel title="Graders">
        <KeyValues facts={graders.map((grader, at) => [`${at + 1}. ${graderName(grader)}`, graderDetail(grader) || 'as it is'])} />
      </Panel>
    </div>
  );
}

function Actions({ evaluation }: { readonly evaluation: EvaluationView }): JSX.Element | null {
  const { slug: account } = useAccount();
  const mayChange = useMayChange();
  const navigate = useNavigate();
  const cancel = useChange('evaluations/cancel', ['evaluations/']);
  const remove = useChange('evaluations/delete', ['evaluations/', 'suites/', 'adapters/']);
  const [isDeleting, setDeleting] = useState(false);
  if (!mayChange) return null;
  const { id, graders, deployments, text_deleted: isGone } = evaluation;
  const onConfirm = async (): Promise<void> => {
    await remove.mutateAsync({ evaluation: id });
    await navigate({ to: '/$account/evaluations', params: { account } });
  };
  const mayVote = graders.some(({ kind }) => kind === 'people') && deployments.length > 1 && !isGone;
  return (
    <>
      {mayVote && (
        <Link to="/$account/evaluations/$id/vote" params={{ account, id: String(id) }} className={buttonClass('main')}>
          Vote blind
        </Link>
      )}
      {isOver(evaluation) ? (
        <Button onClick={() => setDeleting(true)}>Delete</Button>
      ) : (
        <Button busy={cancel.isPending} onClick={() => cancel.mutate({ evaluation: id })}>
          Cancel
        </Button>
      )}
      {isDeleting && (
        <ConfirmDialog
          title={`Delete evaluation ${id}`}
          action="Delete evaluation"
          onConfirm={onConfirm}
          onClose={() => setDeleting(false)}
        >
          Its figures, answers and votes are deleted. A gate that it decided waits for another evaluation.
        </ConfirmDialog>
      )}
    </>
  );
}
