import type { KeyView } from '@slipway/contracts';
import { useParams } from '@tanstack/react-router';
import { type JSX, lazy, Suspense, useState } from 'react';
import { codeOf } from '../api/console-error.js';
import { useCall } from '../api/use-call.js';
import { KEY_SEARCH, KEY_TABS } from '../searches.js';
import { useAccount, useMayChange } from '../session/use-session.js';
import { Missing } from '../shell/faults.js';
import { Button } from '../ui/button.js';
import { Icon } from '../ui/icon.js';
import { Loaded } from '../ui/loaded.js';
import { Menu } from '../ui/menu.js';
import { Moment } from '../ui/moment.js';
import { Notice } from '../ui/notice.js';
import { Page } from '../ui/page.js';
import { Skeleton } from '../ui/skeleton.js';
import { Status } from '../ui/status.js';
import { Tabs } from '../ui/tabs.js';
import { useNow } from '../ui/use-now.js';
import { useUrlState } from '../url-state/use-url-state.js';
import type { KeyTask } from './key-dialog.js';
import { ACTION_WORDS, actionsOf, type KeyAction, ownerOf, STANDING_WORDS, standingOf } from './key-state.js';

const KeyDialog = lazy(async () => ({ default: (await import('./key-dialog.js')).KeyDialog }));
const KeyUsageTab = lazy(async () => ({ default: (await import('./key-usage-tab.js')).KeyUsageTab }));
const KeyLimitsTab = lazy(async () => ({ default: (await import('./key-limits-tab.js')).KeyLimitsTab }));
const KeyAuditTab = lazy(async () => ({ default: (await import('./key-audit-tab.js')).KeyAuditTab }));

/** Everything about one key: what it used, what it may do, what was done with it. */
export function KeyScreen(): JSX.Element {
  const { id } = useParams({ from: '/inside/$account/api-keys/$id' });
  return /^[1-9]\d{0,9}$/.test(id) ? <Found key={id} id={Number(id)} /> : <Missing />;
}

function Found({ id }: { readonly id: number }): JSX.Element {
  const found = useCall('keys/find', { key: id }, { every: () => 15_000 });
  if (codeOf(found.error) === 'key_not_found' || codeOf(found.error) === 'invalid_request') return <Missing />;
  if (found.data) return <Whole subject={found.data.key} stale={found} />;
  return (
    <Page title={`Key ${id}`}>
      <Loaded query={found} what="Key" shape="figures">
        {() => null}
      </Loaded>
    </Page>
  );
}

const Dot = (): JSX.Element => (
  <span aria-hidden="true" className="max-sm:hidden">
    ·
  </span>
);

/** What the header says of a key, besides its name and state. */
function About({ subject }: { readonly subject: KeyView }): JSX.Element {
  const owner = ownerOf(subject.created_by);
  return (
    <span className="flex flex-wrap items-center gap-x-2 text-sm max-sm:flex-col max-sm:items-start">
      <code>{subject.hint}…</code>
      <Dot />
      <span className="wrap-anywhere">
        created <Moment at={subject.created_at} />
        {owner !== null && ` by ${owner}`}
      </span>
      {subject.rotated_at != null && (
        <>
          <Dot />
          <span>
            rotated <Moment at={subject.rotated_at} />
          </span>
        </>
      )}
      <Dot />
      <LastUsed at={subject.last_used_at} />
    </span>
  );
}

function LastUsed({ at }: { readonly at: KeyView['last_used_at'] }): JSX.Element {
  if (at === undefined) return <span>last use not known</span>;
  if (at === null) return <span>never used</span>;
  return (
    <span>
      last used <Moment at={at} />
    </span>
  );
}

interface WholeProps {
  readonly subject: KeyView;
  readonly stale: ReturnType<typeof useCall<'keys/find'>>;
}

function Whole({ subject, stale }: WholeProps): JSX.Element {
  const [{ tab }, set] = useUrlState(KEY_SEARCH);
  const isOwner = useAccount().role === 'owner';
  const [task, setTask] = useState<KeyTask | null>(null);
  const act = (kind: KeyAction): void => setTask({ kind, key: subject });
  const contents = {
    usage: { label: 'Usage', content: <KeyUsageTab id={subject.id} /> },
    limits: { label: 'Limits and access', content: <KeyLimitsTab subject={subject} onAction={act} /> },
    audit: { label: 'Audit', content: <KeyAuditTab id={subject.id} /> },
  };
  const tabs = KEY_TABS.filter((value) => value !== 'audit' || isOwner);
  return (
    <Page
      title={subject.name}
      beside={<Status {...STANDING_WORDS[standingOf(subject, useNow())]} />}
      about={<About subject={subject} />}
      actions={<Actions subject={subject} onAction={act} />}
    >
      <Loaded query={stale} what="Key">
        {() => null}
      </Loaded>
      {subject.state === 'revoked' && <Notice look="info">This key is revoked: requests with it get 401.</Notice>}
      {subject.state === 'expired' && (
        <Notice look="warn">This key is expired: requests with it get 401. Rotate it to get a new value with a new expiry.</Notice>
      )}
      <Tabs
        label="Parts of the key"
        value={tabs.includes(tab) ? tab : 'usage'}
        onChange={(next) => set({ tab: next })}
        items={tabs.map((value) => ({
          ...{ value, label: contents[value].label, href: `?tab=${value}` },
          content: (
            <Suspense fallback={<Skeleton shape="figures" what={contents[value].label} count={4} />}>{contents[value].content}</Suspense>
          ),
        }))}
      />
      <Suspense>{task && <KeyDialog doing={task} onChange={setTask} />}</Suspense>
    </Page>
  );
}

function Actions({ subject, onAction }: { readonly subject: KeyView; readonly onAction: (action: KeyAction) => void }): JSX.Element | null {
  if (!useMayChange()) return null;
  const actions = actionsOf(subject);
  const isButton = (action: KeyAction): boolean => action === 'rotate' || action === 'revoke';
  return (
    <>
      {actions.includes('rotate') && (
        <Button icon="rotate" onClick={() => onAction('rotate')}>
          Rotate
        </Button>
      )}
      {actions.includes('revoke') && (
        <Button className="text-bad!" onClick={() => onAction('revoke')}>
          Revoke
        </Button>
      )}
      <Menu
        label="More actions"
        triggerClass="grid min-h-8 min-w-8 place-items-center rounded-md border border-rim bg-raised hover:bg-sunken pointer-coarse:min-h-11 pointer-coarse:min-w-11"
        trigger={<Icon name="more" />}
        entries={actions
          .filter((action) => !isButton(action))
          .map((action) => ({ label: ACTION_WORDS[action], onSelect: () => onAction(action) }))}
      />
    </>
  );
}
