import { useMutation, useQuery } from '@tanstack/react-query';
import type { JSX } from 'react';
import { messageOf } from '../api/console-error.js';
import { send } from '../api/send.js';
import { keepNext } from '../session/inner-path.js';
import { Button } from '../ui/button.js';
import { Notice } from '../ui/notice.js';

interface Ways {
  readonly identity_provider: string | null;
}

/** Sign-in by the organisation, where the operator has set one up. @param next the path to go on at, already checked */
export function ProviderButton({ invitation, next = '/' }: { readonly invitation?: string; readonly next?: string }): JSX.Element | null {
  const ways = useQuery({ queryKey: ['ways'], queryFn: () => send<Ways>('/api/sign-in/ways', { method: 'GET' }) });
  const start = useMutation({
    mutationFn: () => send<{ readonly url: string }>('/api/oidc/start', { body: invitation === undefined ? {} : { invitation } }),
    onSuccess: ({ url }) => {
      keepNext(next);
      window.location.assign(url);
    },
  });
  const name = ways.data?.identity_provider ?? null;
  if (name === null) return null;
  return (
    <div className="grid gap-3 border-t border-line pt-4">
      <Button busy={start.isPending} onClick={() => start.mutate()}>
        Continue with {name}
      </Button>
      {start.isError && <Notice look="bad">{messageOf(start.error)}</Notice>}
    </div>
  );
}
