import type { JSX } from 'react';
import { Button } from '../ui/button.js';
import { SecretField } from '../ui/copy-field.js';
import { Dialog, DialogButtons } from '../ui/dialog.js';
import { Moment } from '../ui/moment.js';
import { Notice } from '../ui/notice.js';

export interface InvitationLinkProps {
  readonly title: string;
  readonly token: string;
  readonly expiresAt: string;
  /** A link of before is void. */
  readonly isRenewed?: boolean;
  readonly onDone: () => void;
}

/** The link of an invitation, shown once. */
export function InvitationLink({ title, token, expiresAt, isRenewed = false, onDone }: InvitationLinkProps): JSX.Element {
  return (
    <Dialog title={title} wide>
      <Notice look="info">
        Send this link yourself. It is shown only once, works once, and expires <Moment at={expiresAt} />.
        {isRenewed && ' The link sent before no longer works.'}
      </Notice>
      <SecretField label="Link" value={`${location.origin}/join#${token}`} copy="Copy link" />
      <DialogButtons>
        <Button onClick={onDone}>Done</Button>
      </DialogButtons>
    </Dialog>
  );
}
