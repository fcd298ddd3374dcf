import type { RequestView } from '@slipway/contracts';
import { Link, useParams } from '@tanstack/react-router';
import type { JSX, ReactNode } from 'react';
import { useCall } from '../api/use-call.js';
import { slugOf } from '../deployments/inference-target.js';
import { statusWords } from '../deployments/metric-series.js';
import { formatCount, formatMs, formatRate } from '../format/number.js';
import { DEPLOYMENT_SEARCH } from '../searches.js';
import { useAccount } from '../session/use-session.js';
import { buttonClass } from '../ui/button.js';
import { CopyIcon } from '../ui/copy-button.js';
import { EmptyState } from '../ui/empty-state.js';
import { Icon } from '../ui/icon.js';
import { KeyValues } from '../ui/key-values.js';
import { Loaded } from '../ui/loaded.js';
import { Moment } from '../ui/moment.js';
import { Page, Panel } from '../ui/page.js';
import { Dash } from '../ui/quantity.js';
import { StatGrid } from '../ui/stat-grid.js';
import { Status, type StatusLook } from '../ui/status.js';
import { searchFor } from '../url-state/search-codec.js';
import { requestIdIn } from './request-id.js';

const CONTRACTS: Readonly<Record<string, string>> = {
  chat: 'Chat completions',
  messages: 'Messages',
  responses: 'Responses',
  embeddings: 'Embeddings',
};
const LOOKS: Readonly<Record<string, StatusLook>> = { completed: 'good', running: 'busy', cancelled: 'plain' };
/** The log is shown from so long before a request to so long after it, in milliseconds. */
const AROUND_MS = 60_000;
const RUNNING_MS = 2_000;

/** One request of the account, by any of its ids. */
export function RequestScreen(): JSX.Element {
  const { id: given } = useParams({ from: '/inside/$account/requests/$id' });
  const id = requestIdIn(given);
  return (
    <Page
      title="Request"
      about={
        <span className="inline-flex max-w-full items-center">
          <code className="truncate text-code">{id === null ? given : `req_${id}`}</code>
          {id !== null && <CopyIcon text={`req_${id}`} />}
        </span>
      }
    >
      {id === null ? <Unknown /> : <Found key={id} id={id} />}
    </Page>
  );
}

function Unknown(): JSX.Element {
  return (
    <EmptyState title="No request with this ID" icon="search">
      Requests are kept for 35 days. One appears a second or two after it ends, and one that was refused (401, 404, 429) is only counted.
      The id is the header <code>x-request-id</code> of the answer, or the <code>id</code> in its body.
    </EmptyState>
  );
}

function Found({ id }: { readonly id: string }): JSX.Element {
  const query = useCall('requests/find', { id }, { every: (data) => (data?.request?.status === 'running' ? RUNNING_MS : false) });
  return (
    <Loaded query={query} what="Request" shape="figures" rows={4}>
      {({ request }) => (request === null ? <Unknown /> : <Details request={request} id={id} />)}
    </Loaded>
  );
}

/** Tokens after the first one by the time since it, each second; null where that tells nothing. */
export function speedOf({
  completion_tokens: tokens,
  ttft_ms: ttft,
  ms,
}: Pick<RequestView, 'completion_tokens' | 'ttft_ms' | 'ms'>): number | null {
  if (ttft === null || tokens < 2 || ms <= ttft) return null;
  return ((tokens - 1) * 1_000) / (ms - ttft);
}

function Details({ request, id }: { readonly request: RequestView; readonly id: string }): JSX.Element {
  const { status, ttft_ms: ttft, ms, prompt_tokens: input, cached_tokens: cached, completion_tokens: output, estimated } = request;
  const speed = speedOf(request);
  return (
    <>
      <StatGrid
        label="Figures of the request"
        stats={[
          { label: 'Time to first token', value: ttft === null ? <Dash /> : formatMs(ttft) },
          { label: 'Duration', value: formatMs(ms), ...(status === 'running' && { hint: 'So far' }) },
          { label: 'Input tokens', value: formatCount(input), hint: `${formatCount(cached)} from the cache` },
          { label: 'Output tokens', value: formatCount(output), ...(estimated && { hint: 'Counted, not reported by the engine' }) },
          { label: 'Tokens per second', value: speed === null ? <Dash /> : formatRate(speed) },
        ]}
      />
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 lg:grid-cols-2">
        <Panel title="Details" actions={<LogLink request={request} id={id} />}>
          <KeyValues facts={factsOf(request)} />
        </Panel>
        <Timeline request={request} />
      </div>
    </>
  );
}

function factsOf(request: RequestView): readonly (readonly [string, ReactNode])[] {
  const { status, deployment, key, api, stream, alias, rev, started_at: at } = request;
  return [
    ['Status', <Status key="status" look={LOOKS[status] ?? 'bad'} text={statusWords(status)} />],
    ['Deployment', <DeploymentLink key="deployment" id={deployment} />],
    ['Revision', rev],
    ['Key', <KeyLink key="key" id={key} />],
    ['Contract', `${CONTRACTS[api] ?? api}${stream ? ', streamed' : ''}`],
    ['Called as', alias === '' ? 'Its slug' : <code key="alias">{alias}</code>],
    ['Started', <Moment key="at" at={at} exact />],
  ];
}

const LINK = 'text-accent underline-offset-2 hover:underline';

function DeploymentLink({ id }: { readonly id: RequestView['deployment'] }): JSX.Element {
  const { slug: account } = useAccount();
  const slug = slugOf({ id });
  const found = useCall('deployments/find', { deployment: id }, { staleMs: 60_000 });
  return (
    <Link to="/$account/deployments/$slug" params={{ account, slug }} className={LINK}>
      {found.data?.deployment.name ?? slug}
    </Link>
  );
}

function KeyLink({ id }: { readonly id: RequestView['key'] }): JSX.Element {
  const { slug: account } = useAccount();
  const found = useCall('keys/find', { key: id }, { staleMs: 60_000 });
  return (
    <Link to="/$account/api-keys/$id" params={{ account, id: String(id) }} className={LINK}>
      {found.data?.key.name ?? `Key ${id}`}
    </Link>
  );
}

/** Leads to the lines of the log from around the request. */
function LogLink({ request, id }: { readonly request: RequestView; readonly id: string }): JSX.Element {
  const { slug: account } = useAccount();
  const start = Date.parse(request.started_at);
  const around = { from: start - AROUND_MS, to: start + request.ms + AROUND_MS };
  const common = { to: '/$account/deployments/$slug', params: { account, slug: slugOf({ id: request.deployment }) } } as const;
  return (
    <span className="flex flex-wrap gap-2">
      <Link
        {...common}
        search={searchFor(DEPLOYMENT_SEARCH, { tab: 'logs', range: '90d', q: `req_${id}` })}
        className={buttonClass('plain')}
      >
        Its log lines
      </Link>
      <Link {...common} search={searchFor(DEPLOYMENT_SEARCH, { tab: 'logs', ...around })} className={buttonClass('plain')}>
        <Icon name="terminal" className="-ml-0.5 size-4" />
        Logs at that time
      </Link>
    </span>
  );
}

/** Where the time went: until the first token, and after it. */
function Timeline({ request: { ttft_ms: ttft, ms } }: { readonly request: RequestView }): JSX.Element {
  const first = Math.min(ttft ?? ms, ms);
  const share = ms === 0 ? 0 : first / ms;
  const parts = [
    { label: 'Until the first token: queue and prompt', value: first, start: 0, size: share, colour: 'bg-series-3' },
    { label: 'Answer', value: ttft === null ? 0 : ms - first, start: share, size: ttft === null ? 0 : 1 - share, colour: 'bg-series-1' },
  ];
  return (
    <Panel title="Timeline">
      <ul className="grid gap-3 text-sm">
        {parts.map(({ label, value, start, size, colour }) => (
          <li key={label} className="grid gap-1">
            <div className="flex justify-between gap-3">
              <span>{label}</span>
              <span className="text-muted tabular-nums">{formatMs(value)}</span>
            </div>
            <div aria-hidden="true" className="h-2 rounded-full bg-sunken">
              <div
                className={`h-full min-w-px rounded-full ${colour}`}
                style={{ marginLeft: `${start * 100}%`, width: `${size * 100}%` }}
              />
            </div>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
