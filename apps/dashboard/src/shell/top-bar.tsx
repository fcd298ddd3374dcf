import { Popover } from '@base-ui/react/popover';
import { Link, useMatches, useNavigate, useSearch } from '@tanstack/react-router';
import { type JSX, lazy, type ReactNode, Suspense, useState } from 'react';
import { useFreshness } from '../api/freshness.js';
import { useCall } from '../api/use-call.js';
import { useEveryKey } from '../api/lists.js';
import { slugOf } from '../deployments/inference-target.js';
import { formatClock } from '../format/time.js';
import { useAccount } from '../session/use-session.js';
import { Icon } from '../ui/icon.js';
import type { Pick } from './pick-list.js';
import { placesFor } from './places.js';

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    /** Words of this route in the breadcrumb; absent = it has no part of its own. */
    readonly crumb?: string;
    /** The route shows one thing, whose name is its part of the breadcrumb. */
    readonly names?: 'deployment' | 'key' | 'data set' | 'job' | 'adapter';
  }
}

const PickList = lazy(() => import('./pick-list.js').then((module) => ({ default: module.PickList })));
const FRESH_MS = 30_000;

export interface TopBarProps {
  readonly menuButton: ReactNode;
  readonly onSearch: () => void;
}

/** Where one is, whether figures are live, and the way to the palette. */
export function TopBar({ menuButton, onSearch }: TopBarProps): JSX.Element {
  return (
    <div className="sticky top-0 z-30 flex h-12 items-center gap-3 border-b border-line bg-page/95 px-3 backdrop-blur-sm md:px-6">
      {menuButton}
      <Breadcrumb />
      <div className="ml-auto flex items-center gap-3">
        <LiveState />
        <button
          type="button"
          onClick={onSearch}
          className="flex h-8 items-center gap-2 rounded-md border border-line bg-surface px-2 text-muted hover:text-ink"
          aria-label="Search and commands"
          aria-keyshortcuts="Control+K Meta+K"
        >
          <Icon name="search" />
          <span className="hidden sm:inline">Search</span>
          <kbd className="kbd hidden sm:inline-flex">⌘K</kbd>
        </button>
      </div>
    </div>
  );
}

function LiveState(): JSX.Element {
  const { state, answeredAt } = useFreshness();
  const isLive = state === 'live';
  return (
    <span role="status" className="flex items-center gap-1.5 text-xs whitespace-nowrap text-muted">
      <span aria-hidden="true" className={`size-2 rounded-full ${isLive ? 'bg-good' : 'bg-warn'}`} />
      {isLive ? 'Live' : `As of ${formatClock(answeredAt)}, reconnecting`}
    </span>
  );
}

interface Crumb {
  readonly words: string;
  readonly to: string;
}

function Breadcrumb(): JSX.Element {
  const { slug: account, role } = useAccount();
  const navigate = useNavigate();
  const crumbs = useMatches().filter(({ staticData: { crumb, names } }) => crumb !== undefined || names !== undefined);
  const screens = placesFor(role === 'owner')
    .flatMap(({ places }) => places)
    .map(({ to, label, icon }): Pick => ({ id: to, label, icon, run: () => void navigate({ to, params: { account } }) }));
  return (
    <nav aria-label="Breadcrumb" className="min-w-0">
      <ol className="flex min-w-0 items-center gap-1">
        <li className="hidden min-w-0 items-center gap-1 sm:flex">
          <span className="max-w-32 truncate text-muted">{account}</span>
          <Icon name="next" className="size-3.5 text-muted" />
        </li>
        {crumbs.map(({ id, staticData: { crumb = '', names }, pathname, params }, at) => {
          const { slug = '', id: key = '', name = '' } = params as { readonly slug?: string; readonly id?: string; readonly name?: string };
          if (names === 'deployment') return <DeploymentCrumb key={id} slug={slug} />;
          if (names === 'key') return <KeyCrumb key={id} id={key} />;
          if (names === 'data set') return <CrumbItem key={id} crumb={{ words: name, to: '' }} isLast label="Data sets" items={[]} />;
          if (names === 'job') return <JobCrumb key={id} id={Number(key)} />;
          if (names === 'adapter') return <AdapterCrumb key={id} id={Number(key)} />;
          const isLast = at === crumbs.length - 1;
          return (
            <CrumbItem key={id} crumb={{ words: crumb, to: pathname }} isLast={isLast} label="Screens" items={at === 0 ? screens : []} />
          );
        })}
      </ol>
    </nav>
  );
}

function DeploymentCrumb({ slug }: { readonly slug: string }): JSX.Element {
  const { slug: account } = useAccount();
  const { tab }: { readonly tab?: string } = useSearch({ strict: false });
  const navigate = useNavigate();
  const { data } = useCall('deployments/list', {}, { staleMs: FRESH_MS });
  const deployments = data?.deployments ?? [];
  const items = deployments.map((one): Pick => ({
    id: String(one.id),
    label: one.name,
    hint: slugOf(one),
    // The same part of the other deployment.
    run: () =>
      void navigate({
        to: '/$account/deployments/$slug',
        params: { account, slug: slugOf(one) },
        search: tab === undefined ? {} : { tab },
      }),
  }));
  const words = deployments.find((one) => slugOf(one) === slug)?.name ?? slug;
  return <CrumbItem crumb={{ words, to: '' }} isLast label="Deployments" items={items} />;
}

function KeyCrumb({ id }: { readonly id: string }): JSX.Element {
  const { slug: account } = useAccount();
  const { tab }: { readonly tab?: string } = useSearch({ strict: false });
  const navigate = useNavigate();
  const keys = useEveryKey().data ?? [];
  const items = keys
    .filter(({ state }) => state !== 'revoked')
    .map((one): Pick => ({
      id: String(one.id),
      label: one.name,
      hint: one.hint,
      // The same part of the other key.
      run: () =>
        void navigate({
          to: '/$account/api-keys/$id',
          params: { account, id: String(one.id) },
          search: tab === undefined ? {} : { tab },
        }),
    }));
  const words = keys.find((one) => String(one.id) === id)?.name ?? `Key ${id}`;
  return <CrumbItem crumb={{ words, to: '' }} isLast label="API keys" items={items} />;
}

function JobCrumb({ id }: { readonly id: number }): JSX.Element {
  const { data } = useCall('jobs/find', { job: id }, { staleMs: FRESH_MS });
  return <CrumbItem crumb={{ words: data?.job.name ?? `Job ${id}`, to: '' }} isLast label="Jobs" items={[]} />;
}

function AdapterCrumb({ id }: { readonly id: number }): JSX.Element {
  const { data } = useCall('adapters/find', { adapter: id }, { staleMs: FRESH_MS });
  const words = data ? `${data.adapter.name} v${data.adapter.version}` : `Adapter ${id}`;
  return <CrumbItem crumb={{ words, to: '' }} isLast label="Adapters" items={[]} />;
}

interface CrumbItemProps {
  readonly crumb: Crumb;
  readonly isLast: boolean;
  /** What the list beside it holds. */
  readonly label: string;
  readonly items: readonly Pick[];
}

function CrumbItem({ crumb: { words, to }, isLast, label, items }: CrumbItemProps): JSX.Element {
  const [open, setOpen] = useState(false);
  return (
    <li className="flex min-w-0 items-center">
      {isLast ? (
        <span aria-current="page" className="truncate px-1 font-medium">
          {words}
        </span>
      ) : (
        <Link to={to} className="truncate rounded-sm px-1 text-muted hover:text-ink">
          {words}
        </Link>
      )}
      {items.length > 1 && (
        <Popover.Root open={open} onOpenChange={setOpen}>
          <Popover.Trigger
            aria-label={`${label}: go to another`}
            className="grid size-6 shrink-0 place-items-center rounded-sm text-muted hover:bg-sunken hover:text-ink"
          >
            <Icon name="switch" className="size-3.5" />
          </Popover.Trigger>
          <Popover.Portal>
            <Popover.Positioner align="start" sideOffset={6} className="z-50">
              <Popover.Popup
                aria-label={label}
                className="w-72 overflow-hidden rounded-lg border border-line bg-surface shadow-lg outline-none"
              >
                <Suspense>
                  <PickList label={label} placeholder="Type to find…" groups={[{ value: label, items }]} onDone={() => setOpen(false)} />
                </Suspense>
              </Popover.Popup>
            </Popover.Positioner>
          </Popover.Portal>
        </Popover.Root>
      )}
      {!isLast && <Icon name="next" className="size-3.5 text-muted" />}
    </li>
  );
}
