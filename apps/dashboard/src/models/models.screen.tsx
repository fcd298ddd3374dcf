import type { ModelView } from '@slipway/contracts';
import { Link, useNavigate } from '@tanstack/react-router';
import { type JSX, useMemo } from 'react';
import { useDeploymentNames } from '../api/lists.js';
import { saveDraft } from '../deployments/create/draft-store.js';
import { draftOfSource, EMPTY_DRAFT } from '../deployments/deployment-draft.js';
import { useModels } from '../api/lists.js';
import { MODELS_SEARCH } from '../searches.js';
import { useAccount, useMayChange } from '../session/use-session.js';
import { buttonClass } from '../ui/button.js';
import { DataTable } from '../ui/data-table/data-table.js';
import { Truncated } from '../ui/data-table/truncated.js';
import type { Column, Facet, RowAction } from '../ui/data-table/types.js';
import { EmptyState } from '../ui/empty-state.js';
import { Icon } from '../ui/icon.js';
import { Page } from '../ui/page.js';
import { Dash, Quantity } from '../ui/quantity.js';
import { useUrlState } from '../url-state/use-url-state.js';
import { addressOf, SOURCE_WORDS } from './model-words.js';

const FACETS: readonly Facet<ModelView>[] = [
  { id: 'source', title: 'Source', of: ({ source }) => [source.kind], words: (kind) => SOURCE_WORDS[kind as ModelView['source']['kind']] ?? kind },
  { id: 'host', title: 'Worker', of: ({ hosts }) => hosts },
];

/** The models that the account can deploy. */
export function ModelsScreen(): JSX.Element {
  const { slug: account } = useAccount();
  const mayChange = useMayChange();
  const navigate = useNavigate();
  const state = useUrlState(MODELS_SEARCH);
  const query = useModels();
  const nameOf = useDeploymentNames();
  const columns = useMemo(() => columnsOf(account, nameOf), [account, nameOf]);
  const deploy = ({ source }: ModelView): void => {
    saveDraft(account, { like: 0, draft: { ...EMPTY_DRAFT, ...draftOfSource(source) } });
    // The credential of an engine is kept nowhere: it may have to be entered again.
    const step = source.kind === 'http' ? 'model' : 'size';
    void navigate({ to: '/$account/deployments/create', params: { account }, search: { step } });
  };
  const actionsOf = (model: ModelView): readonly RowAction[] => [{ label: 'Deploy', onSelect: () => deploy(model) }];
  return (
    <Page title="Models" about="Files on the workers, and the sources of this account’s deployments.">
      <DataTable
        label="Models"
        rows={query.data}
        {...{ query, columns, state }}
        facets={FACETS}
        keyOf={({ source }) => JSON.stringify(source)}
        nameOf={({ name }) => name}
        {...(mayChange && { rowActions: actionsOf })}
        empty={
          <EmptyState
            title="No models yet"
            icon="layers"
            action={
              mayChange && (
                <Link to="/$account/deployments/create" params={{ account }} className={buttonClass('main')}>
                  <Icon name="rocket" />
                  Deploy a model
                </Link>
              )
            }
          >
            Put GGUF files into a model folder of the workers, or deploy one from Hugging Face, a URL or an engine.
          </EmptyState>
        }
      />
    </Page>
  );
}

const columnsOf = (account: string, nameOf: (id: number) => string): readonly Column<ModelView>[] => [
  { id: 'name', title: 'Name', cell: ({ name }) => <Truncated text={name} cut="middle" />, value: ({ name }) => name, width: 260, pin: 'left' },
  {
    id: 'source',
    title: 'Source',
    cell: ({ source }) => SOURCE_WORDS[source.kind],
    value: ({ source }) => SOURCE_WORDS[source.kind],
    width: 130,
    card: 'status',
  },
  {
    id: 'address',
    title: 'Path or URL',
    cell: ({ source }) => <Truncated text={addressOf(source)} cut="middle" className="font-mono text-xs text-muted" />,
    value: ({ source }) => addressOf(source),
    width: 220,
  },
  {
    id: 'size',
    title: 'Size',
    cell: ({ bytes }) => <Quantity kind="bytes" value={bytes} />,
    value: ({ bytes }) => bytes,
    numeric: true,
    card: 'figure',
  },
  {
    id: 'hosts',
    title: 'Workers',
    cell: ({ hosts }) => (hosts.length === 0 ? <Dash /> : <Truncated text={hosts.join(', ')} />),
    value: ({ hosts }) => hosts.join(' '),
    width: 130,
  },
  {
    id: 'deployments',
    title: 'Deployments',
    cell: ({ deployments }) => <Deployments {...{ deployments, account, nameOf }} />,
    value: ({ deployments }) => deployments.map(nameOf).join(' '),
    width: 200,
  },
];

interface DeploymentsProps {
  readonly deployments: readonly number[];
  readonly account: string;
  readonly nameOf: (id: number) => string;
}

/** Links to the first two; the others are counted. */
function Deployments({ deployments, account, nameOf }: DeploymentsProps): JSX.Element {
  const [shown, more] = [deployments.slice(0, 2), deployments.slice(2)];
  if (shown.length === 0) return <Dash />;
  return (
    <span className="flex min-w-0 items-center gap-2">
      {shown.map((id) => (
        <Link
          key={id}
          to="/$account/deployments/$slug"
          params={{ account, slug: `deployment-${id}` }}
          title={nameOf(id)}
          className="min-w-0 truncate text-accent hover:underline"
        >
          {nameOf(id)}
        </Link>
      ))}
      {more.length > 0 && (
        <span title={more.map(nameOf).join('\n')} className="shrink-0 text-xs text-muted">
          +{more.length}
        </span>
      )}
    </span>
  );
}
