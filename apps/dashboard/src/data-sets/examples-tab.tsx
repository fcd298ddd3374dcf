import type { ExampleView } from '@slipway/contracts';
import { type JSX, useState } from 'react';
import { messageOf } from '../api/console-error.js';
import { useCall, useChange } from '../api/use-call.js';
import { formatCount, plural } from '../format/number.js';
import { DATA_SET_SEARCH } from '../searches.js';
import { useMayChange } from '../session/use-session.js';
import { announce } from '../ui/announcements.js';
import { Button, IconButton } from '../ui/button.js';
import { NothingMatches } from '../ui/empty-state.js';
import { EmptyState } from '../ui/empty-state.js';
import { SelectField } from '../ui/field.js';
import { Loaded } from '../ui/loaded.js';
import { NumberField } from '../ui/number-fields.js';
import { SearchField } from '../ui/search-field.js';
import { Checkbox, Switch } from '../ui/toggles.js';
import { useUrlState } from '../url-state/use-url-state.js';
import type { ShownVersion } from './shown-version.js';
import { EditExampleDialog } from './edit-example-dialog.js';
import { ExampleBody } from './example-view.js';
import { ruleText } from './rule-words.js';

/** Examples on one page. */
const PAGE = 20;

/** The examples of a version as conversations. */
export function ExamplesTab(shown: ShownVersion): JSX.Element {
  const mayRead = useMayChange();
  const { version } = shown;
  if (!mayRead) {
    return (
      <EmptyState title="Examples are for members" icon="lock">
        Viewers see figures and problems. Ask an owner of the account for another role.
      </EmptyState>
    );
  }
  if (version.state !== 'ready') {
    return (
      <EmptyState title="No examples to show yet" icon="data">
        {version.state === 'invalid' ? 'This version cannot be used. The problems say why.' : 'They appear once the version is checked.'}
      </EmptyState>
    );
  }
  return <Examples {...shown} />;
}

function Examples({ details, version }: ShownVersion): JSX.Element {
  const [{ from, q, rule, min, raw }, set] = useUrlState(DATA_SET_SEARCH);
  const request = {
    ...{ dataset: details.dataset.id, version: version.number, from, limit: PAGE },
    ...(rule !== '' && { rule }),
    ...(q !== '' && { search: q }),
    ...(min > 0 && { min_chars: min }),
  };
  const found = useCall('examples/list', request, { staleMs: 60_000, keep: true });
  const isFiltered = rule !== '' || q !== '' || min > 0;
  const clear = (): void => set({ q: '', rule: '', min: 0, from: 1 });
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <Filters version={version} />
      <Loaded query={found} what="Examples" shape="text" rows={8}>
        {({ examples, next }) =>
          examples.length === 0 && next === null && isFiltered && from === 1 ? (
            <NothingMatches onClear={clear} />
          ) : (
            <List key={`${version.number} ${from}`} {...{ details, version, examples, raw }}>
              <Pages {...{ from, next, total: version.examples, isFiltered }} onGo={(to) => set({ from: to }, { push: true })} />
            </List>
          )
        }
      </Loaded>
    </div>
  );
}

function Filters({ version }: Pick<ShownVersion, 'version'>): JSX.Element {
  const [{ q, rule, min, raw }, set] = useUrlState(DATA_SET_SEARCH);
  const rules = version.issues.filter(({ severity }) => severity === 'warning');
  return (
    <div className="flex flex-wrap items-center gap-2">
      <div className="min-w-48 flex-1">
        <SearchField label="Search examples" placeholder="Search text" value={q} onSearch={(text) => set({ q: text, from: 1 })} />
      </div>
      {rules.length > 0 && (
        <div className="w-52">
          <SelectField
            label="Problem"
            bare
            choices={[
              { value: '', label: 'All examples' },
              ...rules.map((one) => ({ value: one.rule, label: ruleText(one.rule), hint: plural(one.count, 'example') })),
            ]}
            value={rule}
            onChange={({ target }) => set({ rule: target.value, from: 1 })}
          />
        </div>
      )}
      <div className="w-44">
        <NumberField
          label="Least length"
          bare
          unit="characters"
          placeholder="Any length"
          min={0}
          max={10_000_000}
          step={100}
          value={min === 0 ? null : min}
          onChange={(value) => set({ min: value ?? 0, from: 1 })}
        />
      </div>
      <Switch label="Raw JSON" checked={raw} onChange={(on) => set({ raw: on })} />
    </div>
  );
}

interface ListProps extends ShownVersion {
  readonly examples: readonly ExampleView[];
  readonly raw: boolean;
  readonly children: JSX.Element;
}

/** The examples of a page. Editing one and removing some make the next version. */
function List({ details, version, examples, raw, children }: ListProps): JSX.Element {
  const [chosen, setChosen] = useState<ReadonlySet<number>>(new Set());
  const [edited, setEdited] = useState<ExampleView | null>(null);
  const [, set] = useUrlState(DATA_SET_SEARCH);
  const change = useChange('versions/add-examples', ['datasets/', 'versions/']);
  const mayEdit = details.dataset.ready === version.number;
  const choose = (n: number, on: boolean): void =>
    setChosen((before) => new Set(on ? [...before, n] : [...before].filter((one) => one !== n)));
  const remove = async (): Promise<void> => {
    try {
      const request = {
        dataset: details.dataset.id,
        base_version: version.number,
        examples: [],
        remove: [...chosen],
        origin: 'edit' as const,
      };
      const made = await change.mutateAsync(request);
      announce(`Version ${made.version} leaves out ${plural(chosen.size, 'example')}.`);
      setChosen(new Set());
      set({ v: 0 });
    } catch (error) {
      announce(messageOf(error), 'bad');
    }
  };
  const look = { raw, mayEdit, onChoose: choose, onEdit: setEdited };
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <div className="flex min-h-8 flex-wrap items-center gap-3">
        {chosen.size > 0 && (
          <>
            <span className="text-sm">{plural(chosen.size, 'example')} selected</span>
            <Button icon="delete" busy={change.isPending} onClick={() => void remove()}>
              Remove selected
            </Button>
          </>
        )}
        {children}
      </div>
      {!mayEdit && <p className="text-sm text-muted">Only the newest ready version can be edited.</p>}
      <ul aria-label="Examples" className="grid grid-cols-[minmax(0,1fr)] gap-3">
        {examples.map((example) => (
          <Item key={example.n} example={example} isChosen={chosen.has(example.n)} {...look} />
        ))}
      </ul>
      {edited && (
        <EditExampleDialog dataset={details.dataset.id} version={version.number} example={edited} onClose={() => setEdited(null)} />
      )}
    </div>
  );
}

interface ItemProps {
  readonly example: ExampleView;
  readonly isChosen: boolean;
  readonly raw: boolean;
  readonly mayEdit: boolean;
  readonly onChoose: (n: number, on: boolean) => void;
  readonly onEdit: (example: ExampleView) => void;
}

function Item({ example, isChosen, raw, mayEdit, onChoose, onEdit }: ItemProps): JSX.Element {
  const { n, line, cut } = example;
  return (
    <li className="grid grid-cols-[minmax(0,1fr)] gap-3 rounded-lg border border-line bg-surface p-4">
      <div className="flex items-center gap-3">
        {mayEdit ? (
          <Checkbox label={`Example ${n}`} checked={isChosen} onChange={(on) => onChoose(n, on)} />
        ) : (
          <span className="text-sm">Example {n}</span>
        )}
        <span className="text-xs text-muted">line {formatCount(line)}</span>
        {mayEdit && (
          <IconButton icon="edit" label={`Edit example ${n}`} className="ml-auto" disabled={cut} onClick={() => onEdit(example)} />
        )}
      </div>
      <ExampleBody example={example} raw={raw} />
    </li>
  );
}

interface PagesProps {
  readonly from: number;
  readonly next: number | null;
  readonly total: number;
  readonly isFiltered: boolean;
  readonly onGo: (from: number) => void;
}

function Pages({ from, next, total, isFiltered, onGo }: PagesProps): JSX.Element {
  const last = next === null ? total : next - 1;
  const text = isFiltered
    ? `Searched examples ${formatCount(from)} to ${formatCount(last)}`
    : `${formatCount(from)} to ${formatCount(last)} of ${formatCount(total)}`;
  return (
    <nav aria-label="Pages of examples" className="ml-auto flex items-center gap-2">
      <span className="text-sm text-muted tabular-nums" aria-live="polite">
        {text}
      </span>
      <IconButton icon="back" label="Previous examples" disabled={from === 1} onClick={() => onGo(Math.max(1, from - PAGE))} />
      <IconButton icon="next" label="Next examples" disabled={next === null} onClick={() => next !== null && onGo(next)} />
    </nav>
  );
}
