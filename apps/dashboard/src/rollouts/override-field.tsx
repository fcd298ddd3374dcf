import type { ComponentProps, JSX } from 'react';
import { useDeployments } from '../deployments/use-deployments.js';
import { useAccount } from '../session/use-session.js';
import { TextArea } from '../ui/field.js';

/** The reason for serving an adapter that did not pass its gate. For owners, where a deployment has an adapter. */
export function OverrideField({
  deployment,
  ...field
}: { readonly deployment: number | null } & Omit<ComponentProps<typeof TextArea>, 'label'>): JSX.Element | null {
  const { role } = useAccount();
  const { data } = useDeployments();
  const adapter = data?.find(({ id }) => id === deployment)?.adapter;
  if (!adapter || role !== 'owner') return null;
  return (
    <TextArea
      label="Reason, if its adapter did not pass its gate (optional)"
      rows={2}
      maxLength={500}
      hint="Kept in the activity of the account."
      {...field}
    />
  );
}
