import type { KeyView } from '@slipway/contracts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type JSX, type SyntheticEvent, useState } from 'react';
import { messageOf } from '../api/console-error.js';
import { call } from '../api/use-call.js';
import { announce } from '../ui/announcements.js';
import { Button } from '../ui/button.js';
import { Dialog, DialogButtons } from '../ui/dialog.js';
import { Notice } from '../ui/notice.js';
import { AccessFields, LimitFields } from './access-fields.js';
import { faultOfLimit, limitsOf, textsOf } from './key-limits.js';
import { reachOf } from './reach.js';

/** Changes what a key opens and how much it may use. Its value stays. */
export function KeyLimitsDialog({ subject, onClose }: { readonly subject: KeyView; readonly onClose: () => void }): JSX.Element {
  const client = useQueryClient();
  const [deployments, setDeployments] = useState<readonly number[] | null>(subject.deployments ?? null);
  const [texts, setTexts] = useState(() => textsOf(subject.limits));
  const save = useMutation({
    mutationFn: async () => {
      const { id: key } = subject;
      const access = await call('keys/set-deployments', { key, deployments: deployments === null ? null : [...deployments] });
      const limits = await call('keys/set-limits', { key, limits: limitsOf(texts) });
      return { propagated: access.propagated && limits.propagated };
    },
    onSuccess: (reply) => {
      announce(reachOf(reply, `Access and limits of “${subject.name}” are changed.`));
      onClose();
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['keys/list'] }),
  });
  const isFaulty = deployments?.length === 0 || Object.values(texts).some((text) => faultOfLimit(text) !== null);
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    if (!isFaulty) save.mutate();
  };
  return (
    <Dialog title={`Access and limits of “${subject.name}”`} onClose={onClose}>
      <form className="grid gap-5" onSubmit={submit} noValidate>
        <AccessFields deployments={deployments} onDeployments={setDeployments} />
        <LimitFields texts={texts} onTexts={setTexts} />
        {save.isError && <Notice look="bad">{messageOf(save.error)}</Notice>}
        <DialogButtons>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="main" busy={save.isPending} disabled={isFaulty}>
            Save
          </Button>
        </DialogButtons>
      </form>
    </Dialog>
  );
}
