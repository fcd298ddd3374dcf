import { type JSX, type ReactNode, useState } from 'react';
import { Button } from './button.js';
import { SecretField, type SecretFieldProps } from './copy-field.js';
import { Dialog, DialogButtons } from './dialog.js';
import { Notice } from './notice.js';
import { Checkbox } from './toggles.js';

export interface SecretRevealProps extends SecretFieldProps {
  readonly title: string;
  /** What to do if it is lost: "If you lose it, rotate the key." */
  readonly ifLost: string;
  /** What to do with it next: code, a connection test. */
  readonly children?: ReactNode;
  readonly onDone: () => void;
}

/** Shows a secret, once. Neither Esc nor a click outside closes it, and Done waits until it is stored. */
export function SecretReveal({ title, ifLost, children, onDone, ...secret }: SecretRevealProps): JSX.Element {
  const [stored, setStored] = useState(false);
  return (
    <Dialog title={title} wide>
      <Notice look="warn">This is shown only once and cannot be recovered. {ifLost}</Notice>
      <SecretField {...secret} />
      {children}
      <div className="flex flex-wrap items-center justify-between gap-2 border-t border-line pt-3">
        <Checkbox label="I have stored it" checked={stored} onChange={setStored} />
        <DialogButtons>
          <Button look="main" disabled={!stored} onClick={onDone}>
            Done
          </Button>
        </DialogButtons>
      </div>
    </Dialog>
  );
}
