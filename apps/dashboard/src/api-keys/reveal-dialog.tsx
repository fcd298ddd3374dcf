import type { JSX } from 'react';
import { useEveryDeployment } from '../api/lists.js';
import { FirstRequest } from '../deployments/first-request.js';
import { SecretReveal } from '../ui/secret-reveal.js';

export interface RevealDialogProps {
  readonly name: string;
  readonly value: string;
  /** What the key opens; null = all. */
  readonly deployments: readonly number[] | null;
  readonly onDone: () => void;
}

/** Shows a new value, once, and a first request with it. */
export function RevealDialog({ name, value, deployments, onDone }: RevealDialogProps): JSX.Element {
  const open = useEveryDeployment().data?.filter(({ id }) => deployments?.includes(id) ?? true);
  const first = open?.find(({ state }) => state === 'ready') ?? open?.[0];
  return (
    <SecretReveal
      title={`Key “${name}”`}
      label="Key"
      value={value}
      copy="Copy key"
      ifLost="If you lose it, rotate the key."
      onDone={onDone}
    >
      {first && (
        <section className="grid grid-cols-[minmax(0,1fr)] gap-3">
          <h3 className="font-medium wrap-anywhere">Call {first.name} with it</h3>
          <FirstRequest deployment={first} apiKey={value} />
        </section>
      )}
    </SecretReveal>
  );
}
