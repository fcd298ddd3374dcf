import type { ConsoleReply, DatasetView } from '@slipway/contracts';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useMemo, useRef, useState } from 'react';
import { ConsoleError, messageOf } from '../api/console-error.js';
import { call, useCall } from '../api/use-call.js';
import { useDatasets } from '../data-sets/use-datasets.js';
import { NEW_JOB_SEARCH } from '../searches.js';
import { useAccount, useSession } from '../session/use-session.js';
import { readTab, writeTab } from '../session/tab-memory.js';
import { useUrlState } from '../url-state/use-url-state.js';
import { draftOf, EMPTY_JOB, faultsOf, fieldOfParam, type JobDraft, type JobFaults, requestOf } from './job-draft.js';
import { useBases } from './use-bases.js';

/** The plan follows the form in pauses of this length, in milliseconds. */
const TYPED_MS = 400;
const KEPT = 'new-job';

export type JobPlan = ConsoleReply<'jobs/plan'>['plan'];

/** The form of a new job. */
export interface JobForm {
  readonly draft: JobDraft;
  readonly change: (patch: Partial<JobDraft>) => void;
  /** Shown once somebody tried to send it, and what the service refused. */
  readonly faults: JobFaults;
  readonly plan: { readonly value: JobPlan | undefined; readonly error: unknown; readonly isLoading: boolean };
  readonly datasets: readonly DatasetView[];
  readonly bases: ConsoleReply<'bases/list'> | undefined;
  /** What was refused, where no field is at fault. */
  readonly refusal: string | null;
  readonly busy: boolean;
  readonly submit: () => Promise<void>;
}

/** The draft as it was left in this tab, unless the address names what to begin with. */
function useDraft(): readonly [JobDraft, (patch: Partial<JobDraft>) => void, () => void] {
  const state = useSession();
  const user = state.kind === 'in' ? state.user : 0;
  const { slug: account } = useAccount();
  const [{ dataset, version, base, again }] = useUrlState(NEW_JOB_SEARCH);
  const [draft, setDraft] = useState<JobDraft>(() => {
    const kept = readTab(user, `${KEPT}.${account}`) as Partial<JobDraft> | undefined;
    const isSame = again === 0 || kept?.source === again;
    return { ...EMPTY_JOB, ...(isSame && kept), ...(dataset !== '' && { dataset, version }), ...(base !== '' && { base }) };
  });
  const { data } = useCall('jobs/find', { job: again }, { enabled: again > 0 && draft.source !== again });
  const source = data?.job;
  useEffect(() => {
    if (source && draft.source !== again) setDraft(draftOf(source));
  }, [source, draft.source, again]);
  const keep = (next: JobDraft): void => {
    setDraft(next);
    writeTab(user, `${KEPT}.${account}`, next);
  };
  return [draft, (patch) => keep({ ...draft, ...patch }), () => void writeTab(user, `${KEPT}.${account}`, null)];
}

/** A value once it has not changed for a moment. */
function useSettled<T>(value: T): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), TYPED_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

/** Fills the form in where there is but one choice: a base that can be trained before others, which say what they lack. */
function useDefaults(draft: JobDraft, bases: JobForm['bases'], datasets: readonly DatasetView[]): JobDraft {
  const found = bases?.bases ?? [];
  const first = found.find(({ trainers }) => trainers.length > 0) ?? found[0];
  const base = draft.base === '' ? (first?.base ?? '') : draft.base;
  const [only, second] = datasets.filter(({ ready }) => ready !== null);
  const dataset = draft.dataset === '' && only && !second ? only.name : draft.dataset;
  return useMemo(() => ({ ...draft, base, dataset }), [draft, base, dataset]);
}

export function useJobForm(): JobForm {
  const [kept, change, forget] = useDraft();
  const bases = useBases().data;
  const datasets = useDatasets().data ?? [];
  const draft = useDefaults(kept, bases, datasets);
  const idOf = (name: string): number | undefined => datasets.find((one) => one.name === name)?.id;
  const faults = faultsOf(draft);
  const isPlannable = Object.keys(faults).every((field) => field === 'name' || field === 'alias');
  const wanted = isPlannable ? requestOf({ ...draft, ...(faults.name !== undefined && { name: '' }) }, idOf) : null;
  const settled = useSettled(JSON.stringify(wanted));
  const request = JSON.parse(settled) as typeof wanted;
  const plan = useCall('jobs/plan', request ?? requestOf(draft, idOf), {
    // The pause may still hold a form that nothing was chosen in.
    enabled: isPlannable && request !== null,
    keep: true,
    staleMs: 10_000,
  });
  const sending = useSending({ draft, faults, request: () => requestOf(draft, idOf), forget });
  return {
    draft,
    change: (patch) => {
      sending.forgetRefusal();
      change({ base: draft.base, dataset: draft.dataset, ...patch });
    },
    plan: {
      value: isPlannable ? plan.data?.plan : undefined,
      error: isPlannable ? plan.error : null,
      isLoading: isPlannable && plan.isFetching,
    },
    datasets,
    bases,
    ...sending,
  };
}

interface Sending {
  readonly draft: JobDraft;
  readonly faults: JobFaults;
  readonly request: () => ReturnType<typeof requestOf>;
  readonly forget: () => void;
}

/** Makes the job and goes to it. The same form again, after a lost answer, makes no second one. */
function useSending({ faults, request, forget }: Sending): Pick<JobForm, 'faults' | 'refusal' | 'busy' | 'submit'> & {
  readonly forgetRefusal: () => void;
} {
  const client = useQueryClient();
  const navigate = useNavigate();
  const { slug: account } = useAccount();
  const [isTried, setTried] = useState(false);
  const [busy, setBusy] = useState(false);
  const [refused, setRefused] = useState<{ readonly field: keyof JobDraft | null; readonly message: string } | null>(null);
  const last = useRef({ text: '', key: '' });
  const submit = async (): Promise<void> => {
    setTried(true);
    if (Object.keys(faults).length > 0) return;
    setBusy(true);
    const body = request();
    const text = JSON.stringify(body);
    if (last.current.text !== text) last.current = { text, key: crypto.randomUUID() };
    try {
      const { job } = await call('jobs/create', { ...body, idempotency_key: last.current.key });
      forget();
      void client.invalidateQueries({ predicate: ({ queryKey: [name] }) => /^(?:jobs|datasets)\//.test(String(name)) });
      await navigate({ to: '/$account/fine-tuning/$id', params: { account, id: String(job) }, replace: true });
    } catch (error) {
      setRefused({ field: error instanceof ConsoleError ? fieldOfParam(error.param) : null, message: messageOf(error) });
    }
    setBusy(false);
  };
  const shown: JobFaults = {
    ...(isTried && faults),
    ...(refused !== null && refused.field !== null && { [refused.field]: refused.message }),
  };
  return {
    faults: shown,
    refusal: refused !== null && refused.field === null ? refused.message : null,
    busy,
    submit,
    forgetRefusal: () => setRefused(null),
  };
}
