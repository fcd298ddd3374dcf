import type { ConsoleRequest } from '@slipway/contracts';
import { serverOf } from '@slipway/contracts/engines';
import { useMutation } from '@tanstack/react-query';
import type { JSX } from 'react';
import { messageOf } from '../api/console-error.js';
import { call } from '../api/use-call.js';
import { plural } from '../format/number.js';
import { Button } from '../ui/button.js';
import { Notice } from '../ui/notice.js';
import { type DeploymentDraft, faultsOf, sourceOf } from './deployment-draft.js';
import { type EngineTest, engineWords } from './engine-words.js';

/** Names that can be taken over by a click; the rest is counted. */
const OFFERED = 12;

export interface EngineConnectionTestProps {
  readonly draft: DeploymentDraft;
  /** A deployment whose stored key is used while none is typed. */
  readonly deployment?: number | undefined;
  readonly onModel: (model: string) => void;
}

function questionOf({ draft, deployment }: Omit<EngineConnectionTestProps, 'onModel'>): ConsoleRequest<'engines/test'> | null {
  const server = serverOf(sourceOf(draft));
  const { url, model } = faultsOf(draft);
  if (server === null || url !== undefined || model !== undefined) return null;
  return {
    source: { kind: 'http', ...server },
    ...(draft.credential !== '' && { credential: draft.credential }),
    ...(deployment !== undefined && { deployment }),
  };
}

/** Asks the workers whether they reach the engine that is being named. What was typed since makes an answer void. */
export function EngineConnectionTest({ draft, deployment, onModel }: EngineConnectionTestProps): JSX.Element {
  const question = questionOf({ draft, deployment });
  const test = useMutation({ mutationFn: (asked: ConsoleRequest<'engines/test'>) => call('engines/test', asked) });
  const isCurrent = question !== null && JSON.stringify(test.variables) === JSON.stringify(question);
  return (
    <div className="grid gap-2">
      <div className="flex flex-wrap items-center gap-3">
        <Button busy={test.isPending} disabled={question === null} onClick={() => question && test.mutate(question)}>
          Test the connection
        </Button>
        <p className="text-sm text-muted">
          {question === null
            ? 'Once address and model are filled in.'
            : 'Asks the engine for its models, from your workers. Nothing is stored.'}
        </p>
      </div>
      {isCurrent && test.isError && <Notice look="bad">{messageOf(test.error)}</Notice>}
      {isCurrent && test.data && <Findings tests={test.data.tests} onModel={onModel} />}
    </div>
  );
}

function Findings({ tests, onModel }: { readonly tests: readonly EngineTest[]; readonly onModel: (model: string) => void }): JSX.Element {
  if (tests.length === 0) {
    return <Notice look="bad">No connected worker calls HTTP engines: the operator has to start one.</Notice>;
  }
  return (
    <ul className="grid gap-2" aria-label="What the workers found">
      {tests.map((test, index) => {
        const { look, text, advice } = engineWords(test);
        return (
          <li key={`${test.host} ${index}`}>
            <Notice look={look}>
              <p>
                <span className="font-medium">{text}</span>{' '}
                <span className="text-muted">
                  From {test.host}
                  {test.outcome === 'silent' ? '' : `, in ${test.ms} ms`}.
                </span>
              </p>
              {advice !== null && <p>{advice}</p>}
              {test.outcome === 'model_unknown' && <Offer models={test.models ?? []} onModel={onModel} />}
            </Notice>
          </li>
        );
      })}
    </ul>
  );
}

function Offer({ models, onModel }: { readonly models: readonly string[]; readonly onModel: (model: string) => void }): JSX.Element | null {
  if (models.length === 0) return null;
  const more = models.length - OFFERED;
  return (
    <div className="flex flex-wrap items-center gap-2 pt-2">
      <span>It has</span>
      {models.slice(0, OFFERED).map((model) => (
        <Button key={model} aria-label={`Use ${model}`} className="max-w-full" onClick={() => onModel(model)}>
          <span className="truncate">{model}</span>
        </Button>
      ))}
      {more > 0 && <span>and {plural(more, 'other')}.</span>}
    </div>
  );
}
