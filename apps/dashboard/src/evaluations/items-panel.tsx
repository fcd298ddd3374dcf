import type { ConsoleRequest, EvaluatedAnswer, EvaluatedItem, EvaluationView } from '@slipway/contracts';
import { type JSX, useState } from 'react';
import { useCall } from '../api/use-call.js';
import { plural } from '../format/number.js';
import { useMayChange } from '../session/use-session.js';
import { Button } from '../ui/button.js';
import { Chip } from '../ui/chip.js';
import { SelectField } from '../ui/field.js';
import { Loaded } from '../ui/loaded.js';
import { Panel } from '../ui/page.js';
import { Segmented } from '../ui/segmented.js';
import { graderName, isOver } from './evaluation-words.js';
import { LOOK_EVERY_MS } from './use-evaluations.js';

const PAGE = 10;

type Filter = NonNullable<ConsoleRequest<'evaluations/items'>['filter']>;

const FILTERS: readonly { readonly value: Filter; readonly label: string }[] = [
  { value: 'all', label: 'All' },
  { value: 'worse', label: 'Worse' },
  { value: 'differs', label: 'Differs' },
  { value: 'failed', label: 'Failed' },
];

/** The answers of all deployments to each conversation, the worst first. For members. */
export function ItemsPanel({ evaluation }: { readonly evaluation: EvaluationView }): JSX.Element | null {
  const mayRead = useMayChange();
  const [filter, setFilter] = useState<Filter>(evaluation.deployments.length > 1 ? 'worse' : 'failed');
  const [grader, setGrader] = useState('');
  const [after, setAfter] = useState(0);
  const request = { evaluation: evaluation.id, filter, limit: PAGE, after, ...(grader !== '' && { grader: Number(grader) }) };
  const isAsked = mayRead && !evaluation.text_deleted;
  const found = useCall('evaluations/items', request, {
    enabled: isAsked,
    keep: true,
    every: () => (isOver(evaluation) ? false : 2 * LOOK_EVERY_MS.running),
  });
  if (!mayRead) return null;
  if (evaluation.text_deleted) return <p className="text-muted">The data set was deleted, and the answers with it.</p>;
  const choose = (next: Filter): void => {
    setFilter(next);
    setAfter(0);
  };
  const chooseGrader = (next: string): void => {
    setGrader(next);
    setAfter(0);
  };
  const choices = evaluation.graders.map((one, at) => ({ value: String(at), label: graderName(one) }));
  return (
    <Panel title="Answers side by side" about="The worst come first: those that the baseline answers better, then those that fail.">
      <div className="flex flex-wrap items-end justify-between gap-3">
        <Segmented label="Items shown" choices={FILTERS} value={filter} onChange={choose} />
        <SelectField
          label="By grader"
          choices={[{ value: '', label: 'Any grader' }, ...choices]}
          value={grader}
          onChange={({ target }) => chooseGrader(target.value)}
        />
      </div>
      <Loaded query={found} what="Items" shape="text" rows={6}>
        {({ items, matching, next }) => (
          <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
            <p className="text-sm text-muted">{plural(matching, 'item')}</p>
            <ol aria-label="Items" className="grid grid-cols-[minmax(0,1fr)] gap-4">
              {items.map((item) => (
                <Item key={item.n} {...{ item, evaluation }} />
              ))}
            </ol>
            <div className="flex gap-2">
              {after > 0 && <Button onClick={() => setAfter(0)}>First</Button>}
              {next !== null && <Button onClick={() => setAfter(next)}>Next</Button>}
            </div>
          </div>
        )}
      </Loaded>
    </Panel>
  );
}

function Item({ item, evaluation }: { readonly item: EvaluatedItem; readonly evaluation: EvaluationView }): JSX.Element {
  return (
    <li className="grid grid-cols-[minmax(0,1fr)] gap-2 rounded-lg border border-line p-3">
      <p className="text-sm font-medium wrap-anywhere whitespace-pre-wrap">{item.prompt}</p>
      <p className="text-xs text-muted wrap-anywhere whitespace-pre-wrap">Reference: {item.reference}</p>
      <div className="grid grid-cols-[repeat(auto-fit,minmax(min(100%,16rem),1fr))] gap-3">
        {item.answers.map((answer) => (
          <Answer key={answer.deployment} {...{ answer, evaluation }} />
        ))}
      </div>
    </li>
  );
}

function Answer({ answer, evaluation }: { readonly answer: EvaluatedAnswer; readonly evaluation: EvaluationView }): JSX.Element {
  const { deployments, graders } = evaluation;
  const { deployment, text, tool_calls: calls, error, passed, judged } = answer;
  const failed = graders.filter((_, at) => passed[at] === false).map(graderName);
  const verdicts = judged.filter((one) => one !== null && one !== undefined);
  return (
    <div className="min-w-0 rounded-md bg-sunken px-3 py-2">
      <span className="mb-1 flex flex-wrap items-center gap-1.5 text-xs text-muted">
        {deployments.find((one) => one.deployment === deployment)?.name}
        {failed.map((name) => (
          <Chip key={name} text={`Failed: ${name}`} />
        ))}
        {verdicts.map((verdict, at) => (
          <Chip key={at} text={`Judge: ${verdict}`} />
        ))}
      </span>
      {error !== null && <p className="text-sm text-bad">{error}</p>}
      {text !== null && <p className="text-sm wrap-anywhere whitespace-pre-wrap">{text === '' && calls === null ? '(empty)' : text}</p>}
      {calls !== null && <code className="text-code wrap-anywhere">{calls}</code>}
    </div>
  );
}
