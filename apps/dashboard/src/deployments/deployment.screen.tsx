import { useNavigate, useParams } from '@tanstack/react-router';
import { type JSX, lazy, type ReactNode, Suspense } from 'react';
import { codeOf } from '../api/console-error.js';
import { useCall } from '../api/use-call.js';
import { DEPLOYMENT_SEARCH, DEPLOYMENT_TABS, type DeploymentTab } from '../searches.js';
import { useAccount } from '../session/use-session.js';
import { Missing } from '../shell/faults.js';
import { Loaded } from '../ui/loaded.js';
import { Moment } from '../ui/moment.js';
import { Page } from '../ui/page.js';
import { Skeleton, type SkeletonShape } from '../ui/skeleton.js';
import { Tabs } from '../ui/tabs.js';
import { useUrlState } from '../url-state/use-url-state.js';
import { lookAgainAfter } from './deployment-actions.js';
import type { DeploymentDetails } from './deployment-details.js';
import { HeaderActions, HeaderNames } from './deployment-header.js';
import { idOf } from './inference-target.js';
import { OverviewTab } from './overview-tab.js';
import { StateBadge } from './state-badge.js';

const LogTab = lazy(async () => ({ default: (await import('./log-tab.js')).LogTab }));
const MetricsTab = lazy(async () => ({ default: (await import('./metrics-tab.js')).MetricsTab }));
const RevisionsTab = lazy(async () => ({ default: (await import('./revisions-tab.js')).RevisionsTab }));
const SettingsTab = lazy(async () => ({ default: (await import('./settings-tab.js')).SettingsTab }));

const TITLES: Readonly<Record<DeploymentTab, string>> = {
  overview: 'Overview',
  metrics: 'Metrics',
  logs: 'Logs',
  revisions: 'Revisions',
  settings: 'Settings',
};

const later = (what: string, shape: SkeletonShape, tab: ReactNode): JSX.Element => (
  <Suspense fallback={<Skeleton shape={shape} what={what} count={4} />}>{tab}</Suspense>
);

const CONTENTS: Readonly<Record<DeploymentTab, (details: DeploymentDetails) => JSX.Element>> = {
  overview: (details) => <OverviewTab details={details} />,
  metrics: (details) => later('Metrics', 'chart', <MetricsTab details={details} />),
  logs: (details) => later('Logs', 'text', <LogTab details={details} />),
  revisions: (details) => later('Revisions', 'table', <RevisionsTab details={details} />),
  settings: (details) => later('Settings', 'form', <SettingsTab details={details} />),
};

export function DeploymentScreen(): JSX.Element {
  const { slug } = useParams({ from: '/inside/$account/deployments/$slug' });
  const id = idOf(slug);
  return id === null ? <Missing /> : <Found key={id} id={id} slug={slug} />;
}

function Found({ id, slug }: { readonly id: number; readonly slug: string }): JSX.Element {
  const [{ tab }] = useUrlState(DEPLOYMENT_SEARCH);
  const navigate = useNavigate();
  const { slug: account } = useAccount();
  const found = useCall('deployments/find', { deployment: id }, { every: (data) => lookAgainAfter(data ? [data.deployment] : []) });
  if (codeOf(found.error) === 'deployment_not_found') return <Missing />;
  const deployment = found.data?.deployment;
  const show = (next: DeploymentTab): void =>
    void navigate({
      to: '/$account/deployments/$slug',
      params: { account, slug },
      search: next === 'overview' ? {} : { tab: next },
      resetScroll: false,
    });
  return (
    <Page
      title={deployment?.name ?? slug}
      beside={
        deployment && (
          <span className="flex flex-wrap items-center gap-x-2 text-sm" aria-live="polite">
            <StateBadge deployment={deployment} withReplicas />
            <span className="text-xs text-muted">
              since <Moment at={deployment.since} />
            </span>
          </span>
        )
      }
      about={deployment && <HeaderNames deployment={deployment} />}
      actions={deployment && <HeaderActions deployment={deployment} />}
    >
      <Loaded query={found} what="Deployment" shape="figures" rows={4}>
        {(details) => (
          <Tabs
            label="Parts of the deployment"
            value={tab}
            onChange={show}
            items={DEPLOYMENT_TABS.map((value) => ({
              value,
              label: TITLES[value],
              href: value === 'overview' ? `/${account}/deployments/${slug}` : `?tab=${value}`,
              // Base UI draws the open panel alone; the others are not made.
              content: value === tab ? CONTENTS[value](details) : null,
            }))}
          />
        )}
      </Loaded>
    </Page>
  );
}
