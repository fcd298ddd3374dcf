import { type DeploymentDraft, EMPTY_DRAFT } from '../deployment-draft.js';

/** Where the tab keeps what was filled in. */
const NAME = 'slipway.create-deployment';

/** A draft with what it began from. */
export interface StoredDraft {
  /** Deployment whose settings it began with; 0 = none. */
  readonly like: number;
  readonly draft: DeploymentDraft;
}

const nameOf = (account: string): string => `${NAME}.${account}`;

/** A draft as the tab keeps it: without its credential, which is kept nowhere. */
export const storedText = ({ like, draft }: StoredDraft): string => JSON.stringify({ like, draft: { ...draft, credential: '' } });

/** Reads it back; null for anything else. Fields of another version are left out. */
export function readStored(text: string | null): StoredDraft | null {
  try {
    const { like, draft } = JSON.parse(text ?? 'null') as { like: unknown; draft: Record<string, unknown> };
    const known = Object.entries(EMPTY_DRAFT).map(([field, empty]) => {
      const value = draft[field];
      return [field, typeof value === typeof empty && value !== null ? value : empty] as const;
    });
    return typeof like === 'number' ? { like, draft: Object.fromEntries(known) as unknown as DeploymentDraft } : null;
  } catch {
    return null;
  }
}

/** What this tab has kept of an account's new deployment. */
export function loadDraft(account: string): StoredDraft | null {
  try {
    return readStored(sessionStorage.getItem(nameOf(account)));
  } catch {
    return null;
  }
}

/** Keeps it, or forgets it with null. */
export function saveDraft(account: string, stored: StoredDraft | null): void {
  try {
    if (stored === null) sessionStorage.removeItem(nameOf(account));
    else sessionStorage.setItem(nameOf(account), storedText(stored));
  } catch {
    // A browser that keeps nothing still makes deployments.
  }
}
