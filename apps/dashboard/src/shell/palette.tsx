import { Dialog } from '@base-ui/react/dialog';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { JSX } from 'react';
import { messageOf } from '../api/console-error.js';
import { useEveryKey } from '../api/lists.js';
import { me as askMe, useAddresses, useCall } from '../api/use-call.js';
import { slugOf } from '../deployments/inference-target.js';
import { useDatasets as useAllDatasets } from '../data-sets/use-datasets.js';
import { useDeployments as useAllDeployments } from '../deployments/use-deployments.js';
import { isRequestId } from '../requests/request-id.js';
import { session } from '../session/session.js';
import { useAccount, useMayChange } from '../session/use-session.js';
import { useJobs as useAllJobs } from '../tuning/use-jobs.js';
import { jobText } from '../tuning/job-words.js';
import { announce } from '../ui/announcements.js';
import { type Pick, type PickGroup, PickList } from './pick-list.js';
import { placesFor } from './places.js';
import { chooseTheme, THEMES } from './theme.js';

/** Answers of lists are taken from memory for this long, in milliseconds: the palette opens at once. */
const FRESH_MS = 30_000;

/** Goes anywhere and does the frequent things, by typing. */
export function Palette({ onClose, onHelp }: { readonly onClose: () => void; readonly onHelp: () => void }): JSX.Element {
  const groups = useGroups(onHelp);
  const groupsFor = useRequestGroup();
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-black/40" />
        <Dialog.Viewport className="fixed inset-0 z-50 flex items-start justify-center px-2 pt-[12dvh]">
          <Dialog.Popup
            aria-label="Search and commands"
            className="w-full max-w-xl overflow-hidden rounded-lg border border-line bg-surface shadow-xl"
          >
            <PickList
              label="Search and commands"
              placeholder="Search screens, deployments, keys, data sets, jobs, members, request IDs…"
              groups={groups}
              groupsFor={groupsFor}
              onDone={onClose}
            />
            <Dialog.Close className="sr-only">Close</Dialog.Close>
          </Dialog.Popup>
        </Dialog.Viewport>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function useGroups(onHelp: () => void): PickGroup[] {
  const screens = useScreens();
  const deployments = useDeployments();
  const keys = useKeys();
  const datasets = useDatasets();
  const jobs = useJobs();
  const members = useMembers();
  const actions = useActions(onHelp);
  return [
    { value: 'Screens', items: screens },
    { value: 'Deployments', items: deployments },
    { value: 'API keys', items: keys },
    { value: 'Data sets', items: datasets },
    { value: 'Fine-tuning jobs', items: jobs },
    { value: 'Members', items: members },
    { value: 'Actions', items: actions },
  ];
}

function useScreens(): Pick[] {
  const navigate = useNavigate();
  const { slug: account, role } = useAccount();
  return placesFor(role === 'owner')
    .flatMap(({ places }) => places)
    .map(({ to, label, icon, key }) => ({
      id: `screen ${to}`,
      label,
      icon,
      hint: `g ${key}`,
      run: () => void navigate({ to, params: { account } }),
    }));
}

function useDeployments(): Pick[] {
  const navigate = useNavigate();
  const { slug: account } = useAccount();
  const { data } = useAllDeployments();
  return (data ?? []).map((deployment) => ({
    id: `deployment ${deployment.id}`,
    label: deployment.name,
    icon: 'box',
    hint: [slugOf(deployment), ...deployment.aliases].join(' '),
    run: () => void navigate({ to: '/$account/deployments/$slug', params: { account, slug: slugOf(deployment) } }),
  }));
}

function useKeys(): Pick[] {
  const navigate = useNavigate();
  const { slug: account } = useAccount();
  const { data } = useEveryKey();
  return (data ?? []).map(({ id, name, hint }) => ({
    id: `key ${id}`,
    label: name,
    icon: 'key',
    hint,
    run: () => void navigate({ to: '/$account/api-keys/$id', params: { account, id: String(id) } }),
  }));
}

function useDatasets(): Pick[] {
  const navigate = useNavigate();
  const { slug: account } = useAccount();
  const { data } = useAllDatasets();
  return (data ?? []).map(({ id, name }) => ({
    id: `data set ${id}`,
    label: name,
    icon: 'data',
    run: () => void navigate({ to: '/$account/data-sets/$name', params: { account, name } }),
  }));
}

function useJobs(): Pick[] {
  const navigate = useNavigate();
  const { slug: account } = useAccount();
  const { data } = useAllJobs();
  return (data ?? []).map((job) => ({
    id: `job ${job.id}`,
    label: job.name,
    icon: 'train',
    hint: jobText(job),
    run: () => void navigate({ to: '/$account/fine-tuning/$id', params: { account, id: String(job.id) } }),
  }));
}

/** A request by its id, as it is typed or pasted. */
function useRequestGroup(): (typed: string) => readonly PickGroup[] {
  const navigate = useNavigate();
  const { slug: account } = useAccount();
  return (typed) => {
    const id = typed.trim();
    if (!isRequestId(id)) return [];
    const run = (): void => void navigate({ to: '/$account/requests/$id', params: { account, id } });
    return [{ value: 'Requests', items: [{ id: `request ${id}`, label: `Open request ${id}`, icon: 'search', run }] }];
  };
}

function useMembers(): Pick[] {
  const navigate = useNavigate();
  const { slug: account } = useAccount();
  const { data } = useCall('members/list', {}, { staleMs: FRESH_MS });
  return (data?.members ?? []).map(({ user, email, name }) => ({
    id: `member ${user}`,
    label: name || email,
    icon: 'person',
    hint: name ? email : undefined,
    run: () => void navigate({ to: '/$account/members', params: { account }, search: { q: email } }),
  })) as Pick[];
}

function useActions(onHelp: () => void): Pick[] {
  const navigate = useNavigate();
  const { slug: account } = useAccount();
  const mayChange = useMayChange();
  const address = useAddresses()?.gateway_url;
  const { data: me } = useQuery({ queryKey: ['me'], queryFn: askMe });
  const fail = (error: unknown): void => announce(messageOf(error), 'bad');
  const copy = (text: string): void =>
    void navigator.clipboard.writeText(text).then(
      () => announce('Copied the base URL.'),
      () => announce('The browser did not allow copying.', 'bad'),
    );
  const changes: Pick[] = [
    {
      id: 'create deployment',
      label: 'Create deployment',
      icon: 'plus',
      run: () => void navigate({ to: '/$account/deployments/create', params: { account } }),
    },
    {
      id: 'create key',
      label: 'Create API key',
      icon: 'plus',
      run: () => void navigate({ to: '/$account/api-keys', params: { account }, search: { create: 'true' } }),
    },
    {
      id: 'create job',
      label: 'Start a fine-tuning job',
      icon: 'train',
      run: () => void navigate({ to: '/$account/fine-tuning/new', params: { account } }),
    },
  ];
  return [
    ...(mayChange ? changes : []),
    ...(address === undefined ? [] : [{ id: 'copy', label: 'Copy base URL', icon: 'copy' as const, run: () => copy(`${address}/v1`) }]),
    ...THEMES.map((theme) => ({ id: `theme ${theme}`, label: `Theme: ${theme}`, icon: 'sun' as const, run: () => chooseTheme(theme) })),
    ...(me?.memberships ?? [])
      .filter(({ slug }) => slug !== account)
      .map(({ slug }) => ({
        id: `account ${slug}`,
        label: `Switch to account ${slug}`,
        icon: 'people' as const,
        run: () => void session.switchTo(slug).then(() => navigate({ to: '/$account/home', params: { account: slug } }), fail),
      })),
    { id: 'keys', label: 'Keyboard shortcuts', icon: 'help', hint: '?', run: onHelp },
    { id: 'sign out', label: 'Sign out', icon: 'sign-out', run: () => void session.signOut().catch(fail) },
  ];
}
