import type { ConsoleRequest } from '@slipway/contracts';
import { type DeploymentDraft, draftOfRevision, replicasIn, requestOf } from './deployment-draft.js';
import type { DeploymentDetails } from './deployment-details.js';
import { draftOfReplicas } from './replicas-draft.js';

/** The settings of a deployment as they are stored, to be changed. */
export function storedDraft({ deployment, revisions }: DeploymentDetails): DeploymentDraft | null {
  const [newest] = revisions;
  const { name, store_responses: storeResponses = false } = deployment;
  return newest ? { ...draftOfRevision(newest), ...draftOfReplicas(deployment), name, storeResponses } : null;
}

/** What must be asked for to make the stored settings those of a draft; null = nothing of that kind. */
export interface SettingsChange {
  readonly update: ConsoleRequest<'deployments/update'> | null;
  readonly scale: ConsoleRequest<'deployments/scale'> | null;
  /** The update makes a revision, which loads the model anew. */
  readonly isRevision: boolean;
}

type Settings = ReturnType<typeof requestOf>;

/** An adapter that is taken away leaves its base, unless another model is named. */
function modelChange(
  before: DeploymentDraft,
  was: Settings,
  is: Settings,
): Pick<Settings, 'source'> & { adapter?: Settings['adapter'] | null } {
  const isMoved = JSON.stringify(was.source) !== JSON.stringify(is.source);
  if (is.adapter !== undefined) {
    return { ...(is.adapter.id !== was.adapter?.id && { adapter: is.adapter }), ...(is.source && isMoved && { source: is.source }) };
  }
  const base = was.source ?? requestOf({ ...before, adapter: '' }).source;
  return {
    ...(was.adapter !== undefined && { adapter: null }),
    ...(JSON.stringify(base) !== JSON.stringify(is.source) && { source: is.source }),
  };
}

/** The requests by which stored settings become those of a draft. @param rev the newest revision, which must still be the newest */
export function settingsChange(deployment: number, rev: number, before: DeploymentDraft, draft: DeploymentDraft): SettingsChange {
  const [was, is] = [requestOf({ ...before, credential: '' }), requestOf(draft)];
  const setting = (name: 'context' | 'slots' | 'default_max_tokens'): object =>
    was[name] === is[name] ? {} : { [name]: is[name] ?? null };
  const revised = {
    ...modelChange(before, was, is),
    ...(is.credential !== undefined && { credential: is.credential }),
    ...setting('context'),
    ...setting('slots'),
    ...setting('default_max_tokens'),
  };
  const isRevision = Object.keys(revised).length > 0;
  const isRenamed = was.name !== is.name;
  const isStoreChanged = before.storeResponses !== draft.storeResponses;
  const [replicas, stored] = [replicasIn(draft), replicasIn(before)];
  return {
    isRevision,
    update:
      isRevision || isRenamed || isStoreChanged
        ? {
            deployment,
            expected_rev: rev,
            ...revised,
            ...(isRenamed && { name: is.name }),
            ...(isStoreChanged && { store_responses: draft.storeResponses }),
            ...(isRevision && is.note !== undefined && { note: is.note }),
          }
        : null,
    scale: replicas === null || JSON.stringify(replicas) === JSON.stringify(stored) ? null : { deployment, replicas },
  };
}
