import type { ModelSource } from '@slipway/contracts';
import { sourceText } from '@slipway/contracts/engines';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { type JSX, lazy, type ReactNode, Suspense } from 'react';
import { codeOf } from '../api/console-error.js';
import { useCall } from '../api/use-call.js';
import { useAccount, useMayChange } from '../session/use-session.js';
import { Missing } from '../shell/faults.js';
import { buttonClass } from '../ui/button.js';
import { CopyButton } from '../ui/copy-button.js';
import { Icon } from '../ui/icon.js';
import { Loaded } from '../ui/loaded.js';
import { Page } from '../ui/page.js';
import { Skeleton } from '../ui/skeleton.js';
import { Tabs } from '../ui/tabs.js';
import { lookAgainAfter } from './deployment-actions.js';
import { DeploymentButtons } from './deployment-buttons.js';
import { idOf } from './inference-target.js';
import { OverviewTab } from './overview-tab.js';

const LogTab = lazy(async () => ({ default: (await import('./log-tab.js')).LogTab }));
const MetricsTab = lazy(async () => ({ default: (await import('./metrics-tab.js')).MetricsTab }));
const RevisionsTab = lazy(async () => ({ default: (await import('./revisions-tab.js')).RevisionsTab }));
const SettingsTab = lazy(async () => ({ default: (await import('./settings-tab.js')).SettingsTab }));

const later = (tab: ReactNode): JSX.Element => <Suspense fallback={<Skeleton shape="table" what="Tab" />}>{tab}</Suspense>;

const TABS = ['overview', 'metrics', 'logs', 'revisions', 'settings'] as const;
type Tab = (typeof TABS)[number];

export function DeploymentScreen(): JSX.Element {
  const { slug } = useParams({ from: '/inside/$account/deployments/$slug' });
  const id = idOf(slug);
  return id === null ? <Missing /> : <Found key={id} id={id} slug={slug} />;
}

interface HeadingProps {
  readonly slug: string;
  /** Absent until it is known. */
  readonly source: ModelSource | undefined;
}

/** The line under the title. */
function Heading({ slug, source }: HeadingProps): JSX.Element {
  const { slug: account } = useAccount();
  return (
    <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <Link to="/$account/deployments" params={{ account }} className="inline-flex items-center gap-1 text-accent hover:underline">
        <Icon name="back" />
        Deployments
      </Link>
      <span className="inline-flex items-center gap-1">
        <code className="font-mono text-sm">{slug}</code>
        <CopyButton text={slug} look="quiet" aria-label={`Copy ${slug}`} />
      </span>
      {source && <span className="min-w-0 break-all">{sourceText(source)}</span>}
    </span>
  );
}

function Found({ id, slug }: { readonly id: number; readonly slug: string }): JSX.Element {
  const { tab } = useSearch({ from: '/inside/$account/deployments/$slug' });
  const navigate = useNavigate();
  const { slug: account } = useAccount();
  const mayChange = useMayChange();
  const found = useCall('deployments/find', { deployment: id }, { every: (data) => lookAgainAfter(data ? [data.deployment] : []) });
  if (codeOf(found.error) === 'deployment_not_found') return <Missing />;
  const shown: Tab = TABS.find((one) => one === tab) ?? 'overview';
  const deployment = found.data?.deployment;
  return (
    <Page
      title={deployment?.name ?? slug}
      about={<Heading slug={slug} source={deployment?.source} />}
      actions={
        deployment && (
          <>
            {mayChange && (
              <Link to="/$account/playground" params={{ account }} search={{ deployment: slug }} className={buttonClass('plain')}>
                <Icon name="chat" />
                Playground
              </Link>
            )}
            <DeploymentButtons deployment={deployment} />
          </>
        )
      }
    >
      <Loaded query={found} what="Deployment" rows={6}>
        {(details) => (
          <Tabs
            label="Parts of the deployment"
            value={shown}
            onChange={(value) =>
              void navigate({
                to: '/$account/deployments/$slug',
                params: { account, slug },
                search: value === 'overview' ? {} : { tab: value },
                replace: true,
              })
            }
            items={[
              { value: 'overview', label: 'Overview', href: '?', content: <OverviewTab details={details} /> },
              { value: 'metrics', label: 'Metrics', href: '?tab=metrics', content: later(<MetricsTab id={id} />) },
              { value: 'logs', label: 'Logs', href: '?tab=logs', content: later(<LogTab id={id} />) },
              { value: 'revisions', label: 'Revisions', href: '?tab=revisions', content: later(<RevisionsTab details={details} />) },
              { value: 'settings', label: 'Settings', href: '?tab=settings', content: later(<SettingsTab details={details} />) },
            ]}
          />
        )}
      </Loaded>
    </Page>
  );
}
