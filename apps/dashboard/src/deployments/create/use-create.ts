import type { ConsoleRequest } from '@slipway/contracts';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { ConsoleError, messageOf } from '../../api/console-error.js';
import { call } from '../../api/use-call.js';
import { useAccount } from '../../session/use-session.js';
import { type DeploymentDraft, type DraftField, fieldOfParam, requestOf } from '../deployment-draft.js';
import { slugOf } from '../inference-target.js';
import { pointAlias, refuseTaken } from '../new-alias.js';
import { saveDraft } from './draft-store.js';

/** Why a deployment was not made. */
export interface CreateFault {
  /** The field that is wrong; null = none of the form. */
  readonly field: DraftField | null;
  readonly message: string;
}

export interface Creation {
  readonly busy: boolean;
  readonly fault: CreateFault | null;
  /** @param onFault runs where the services refuse it */
  readonly create: (draft: DeploymentDraft, onFault: (fault: CreateFault) => void) => Promise<void>;
  /** Something was changed: what was wrong may be right now. */
  readonly forget: () => void;
}

const faultOf = (error: unknown): CreateFault => ({
  field: error instanceof ConsoleError ? fieldOfParam(error.param) : null,
  message: messageOf(error),
});

/** Makes the deployment of a draft and goes to it. The same draft again, after a lost answer, makes no second one. */
export function useCreate(): Creation {
  const client = useQueryClient();
  const navigate = useNavigate();
  const { slug: account } = useAccount();
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<CreateFault | null>(null);
  const last = useRef({ text: '', key: '' });
  const keyFor = (request: ConsoleRequest<'deployments/create'>): string => {
    const text = JSON.stringify(request);
    if (last.current.text !== text) last.current = { text, key: crypto.randomUUID() };
    return last.current.key;
  };
  const create: Creation['create'] = async (draft, onFault) => {
    setBusy(true);
    try {
      const alias = draft.alias.trim();
      await refuseTaken(alias);
      const request = requestOf(draft);
      const { id } = await call('deployments/create', { ...request, idempotency_key: keyFor(request) });
      await pointAlias(alias, id, draft.override.trim());
      saveDraft(account, null);
      void client.invalidateQueries({ predicate: ({ queryKey: [name] }) => /^(?:deployments|aliases)\//.test(String(name)) });
      await navigate({ to: '/$account/deployments/$slug', params: { account, slug: slugOf({ id }) }, replace: true });
    } catch (error) {
      setFault(faultOf(error));
      onFault(faultOf(error));
    } finally {
      setBusy(false);
    }
  };
  return { busy, fault, create, forget: () => setFault(null) };
}
