import type { ConsoleRequest } from '@slipway/contracts';
import { useMutation } from '@tanstack/react-query';
import type { JSX } from 'react';
import { messageOf } from '../api/console-error.js';
import { call } from '../api/use-call.js';
import { Button } from '../ui/button.js';
import { TextField } from '../ui/field.js';
import { Icon } from '../ui/icon.js';
import { Notice } from '../ui/notice.js';
import { ChoiceRows } from './choice-rows.js';
import { type DeploymentDraft, faultOfUrl } from './deployment-draft.js';
import { type EngineTest, engineWords, listedModels, workerNames } from './engine-words.js';
import { type DraftFieldsProps, DraftText } from './draft-text.js';
import { useOptions } from './use-options.js';

type Question = ConsoleRequest<'engines/test'>;

/** What an engine is asked; null while its address is not one. The model is no part of it: the test lists them. */
function questionOf({ url, credential }: DeploymentDraft, deployment: number | undefined): Question | null {
  if (faultOfUrl(url) !== null) return null;
  return {
    source: { kind: 'http', url: url.trim() },
    ...(credential !== '' && { credential }),
    ...(deployment !== undefined && { deployment }),
  };
}

interface EngineTesting {
  readonly busy: boolean;
  /** Asks the workers; null while the address is not one. */
  readonly run: (() => void) | null;
  readonly error: Error | null;
  readonly tests: readonly EngineTest[] | undefined;
}

/** A test of the engine that is named. What was typed since makes its answer void. */
function useEngineTest(draft: DeploymentDraft, deployment: number | undefined): EngineTesting {
  const question = questionOf(draft, deployment);
  const test = useMutation({ mutationFn: (asked: Question) => call('engines/test', asked) });
  const isCurrent = question !== null && JSON.stringify(test.variables) === JSON.stringify(question);
  return {
    busy: test.isPending,
    run: question && (() => test.mutate(question)),
    error: isCurrent ? test.error : null,
    tests: isCurrent ? test.data?.tests : undefined,
  };
}

/** An HTTP engine: where it is, whether the workers reach it, and which of its models is served. */
export function EngineFields(props: DraftFieldsProps): JSX.Element {
  const { draft, faults, onChange, deployment } = props;
  const hosts = useOptions()?.sources.http.hosts ?? [];
  const testing = useEngineTest(draft, deployment);
  const models = listedModels(testing.tests ?? []);
  return (
    <>
      <DraftText
        {...props}
        field="url"
        label="Address of the engine"
        placeholder="http://10.0.0.7:8000"
        hint={`With or without /v1. The workers must reach it.${hosts.length > 0 ? ` Allowed hosts: ${hosts.join(', ')}.` : ''}`}
      />
      <TextField
        type="password"
        name="credential"
        label="Engine credential (optional)"
        autoComplete="new-password"
        hint="Stored encrypted, and never shown again."
        value={draft.credential}
        fault={faults.credential}
        onChange={(event) => onChange({ credential: event.target.value })}
      />
      <ConnectionTest testing={testing} model={draft.model.trim()} />
      {models.length > 0 && (
        <ChoiceRows
          label="Models of this engine"
          choices={models.map((model) => ({ value: model, title: model }))}
          value={draft.model.trim()}
          onChange={(model) => onChange({ model })}
        />
      )}
      <DraftText
        {...props}
        field="model"
        label="Model name at the engine"
        {...(models.length === 0 && { hint: 'Test the connection to choose from its list, or enter the name.' })}
      />
    </>
  );
}

function ConnectionTest({ testing, model }: { readonly testing: EngineTesting; readonly model: string }): JSX.Element {
  const { busy, run, error, tests } = testing;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-2" aria-live="polite">
      <div>
        <Button icon="zap" busy={busy} disabled={run === null} onClick={() => run?.()}>
          Test the connection
        </Button>
      </div>
      {error && <Notice look="bad">{messageOf(error)}</Notice>}
      {tests && <Findings tests={tests} model={model} />}
    </div>
  );
}

const MARKS = { good: ['good', 'text-good'], warn: ['warning', 'text-warn'], bad: ['failed', 'text-bad'] } as const;

/** What each worker found, a line each. */
function Findings({ tests, model }: { readonly tests: readonly EngineTest[]; readonly model: string }): JSX.Element {
  if (tests.length === 0) return <Notice look="bad">No connected worker supports HTTP engines. The operator needs to start one.</Notice>;
  const names = workerNames(tests);
  return (
    <ul className="grid rounded-md border border-line bg-surface" aria-label="Results by worker">
      {tests.map((test, index) => {
        const { look, text, advice } = engineWords(test, model);
        const [icon, ink] = MARKS[look];
        return (
          <li key={names[index]} className="flex gap-2.5 border-line px-3 py-2 text-sm not-last:border-b">
            <Icon name={icon} className={`mt-0.5 size-4 ${ink}`} />
            <div className="min-w-0 flex-1 wrap-anywhere">
              <p>{text}</p>
              {advice !== null && <p className="text-muted">{advice}</p>}
            </div>
            <span className="shrink-0 text-xs text-muted">
              {names[index]}
              {test.outcome === 'silent' ? '' : ` · ${test.ms} ms`}
            </span>
          </li>
        );
      })}
    </ul>
  );
}
