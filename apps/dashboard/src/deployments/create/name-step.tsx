import { deploymentNameFor } from '@slipway/contracts/engines';
import type { JSX } from 'react';
import { useAccount } from '../../session/use-session.js';
import { TextArea } from '../../ui/field.js';
import { NAME_MAX, NOTE_MAX, sourceOf } from '../deployment-draft.js';
import { type DraftFieldsProps, DraftText } from '../draft-text.js';
import { StoreField } from '../store-field.js';

/** How people and clients call the deployment, and why it is made. */
export function NameStep(props: DraftFieldsProps): JSX.Element {
  const { draft, faults, onChange } = props;
  const { slug: account } = useAccount();
  return (
    <>
      <DraftText {...props} field="name" label="Name" maxLength={NAME_MAX} placeholder={deploymentNameFor(sourceOf(draft))} />
      <DraftText
        {...props}
        field="alias"
        label="Alias (optional)"
        maxLength={63}
        hint={
          <>
            Clients call <code className="wrap-anywhere">{`${account}/${draft.alias.trim() || 'ALIAS'}`}</code>. It can be pointed at
            another deployment later.
          </>
        }
      />
      <StoreField {...props} />
      <TextArea
        label="Note (optional)"
        name="note"
        rows={2}
        maxLength={NOTE_MAX}
        hint="Shown with the first revision."
        value={draft.note}
        fault={faults.note}
        onChange={({ target }) => onChange({ note: target.value })}
      />
    </>
  );
}
