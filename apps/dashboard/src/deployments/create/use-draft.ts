import { useEffect, useState } from 'react';
import { useCall } from '../../api/use-call.js';
import { useAccount } from '../../session/use-session.js';
import { type DeploymentDraft, draftOfRevision, EMPTY_DRAFT } from '../deployment-draft.js';
import { draftOfReplicas } from '../replicas-draft.js';
import { loadDraft, saveDraft, type StoredDraft } from './draft-store.js';

export interface Draft {
  readonly draft: DeploymentDraft;
  readonly change: (part: Partial<DeploymentDraft>) => void;
  /** False while the settings of another deployment are awaited. */
  readonly isReady: boolean;
}

/**
 * What somebody fills in, kept by the tab: a reload goes on with it.
 * @param like number of the deployment whose settings it begins with; 0 = none
 */
export function useDraft(like: number): Draft {
  const { slug: account } = useAccount();
  const [stored, setStored] = useState<StoredDraft>(() => loadDraft(account) ?? { like: 0, draft: EMPTY_DRAFT });
  const isOther = stored.like !== like;
  const other = useCall('deployments/find', { deployment: like }, { enabled: isOther && like !== 0 });
  useEffect(() => {
    if (!isOther) return;
    const newest = other.data?.revisions[0];
    if (like === 0) setStored({ like, draft: EMPTY_DRAFT });
    else if (other.data && newest) {
      const { store_responses: storeResponses = false } = other.data.deployment;
      setStored({ like, draft: { ...draftOfRevision(newest), ...draftOfReplicas(other.data.deployment), storeResponses } });
    }
  }, [isOther, like, other.data]);
  useEffect(() => saveDraft(account, stored), [account, stored]);
  return {
    draft: stored.draft,
    change: (part) => setStored((before) => ({ ...before, draft: { ...before.draft, ...part } })),
    isReady: !isOther || other.isError,
  };
}
