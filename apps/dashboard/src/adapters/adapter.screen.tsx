import type { AdapterView } from '@slipway/contracts';
import { useParams } from '@tanstack/react-router';
import type { JSX } from 'react';
import { codeOf } from '../api/console-error.js';
import { useCall } from '../api/use-call.js';
import { Missing } from '../shell/faults.js';
import { Loaded } from '../ui/loaded.js';
import { Page, Panel } from '../ui/page.js';
import { Status } from '../ui/status.js';
import { AdapterActions } from './adapter-actions.js';
import { AnswerPairs } from './answer-pairs.js';
import { Lineage } from './lineage.js';
import { VerdictView } from './verdict-view.js';
import { adapterName, verdictWords } from './adapter-words.js';

/** One adapter: whether it is better than its base, what changed, where it came from and where it is served. */
export function AdapterScreen(): JSX.Element {
  const { id } = useParams({ from: '/inside/$account/fine-tuning/adapters/$id' });
  return /^[1-9]\d{0,9}$/.test(id) ? <Found key={id} id={Number(id)} /> : <Missing />;
}

function Found({ id }: { readonly id: number }): JSX.Element {
  const found = useCall('adapters/find', { adapter: id }, { every: () => 15_000 });
  if (['adapter_not_found', 'invalid_request'].includes(codeOf(found.error))) return <Missing />;
  const adapter = found.data?.adapter;
  return (
    <Page
      title={adapter ? adapterName(adapter) : `Adapter ${id}`}
      beside={adapter && <Status {...verdictWords(adapter.verdict)} />}
      about={adapter && `Adapter of ${adapter.base}`}
      actions={adapter && <AdapterActions adapter={adapter} />}
    >
      <Loaded query={found} what="Adapter" shape="figures" rows={3}>
        {({ adapter: shown }) => <Parts adapter={shown} />}
      </Loaded>
    </Page>
  );
}

function Parts({ adapter }: { readonly adapter: AdapterView }): JSX.Element {
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-6 xl:grid-cols-[minmax(0,1fr)_24rem]">
      <div className="grid grid-cols-[minmax(0,1fr)] gap-6">
        <Panel title="Verdict" about="Made on the model as it is served, against the base alone.">
          <VerdictView verdict={adapter.verdict} isImported={adapter.job === null} />
        </Panel>
        <AnswerPairs adapter={adapter} />
      </div>
      <Lineage adapter={adapter} />
    </div>
  );
}
