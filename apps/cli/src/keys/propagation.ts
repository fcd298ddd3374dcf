/** How far a change has reached the gateways. */
export interface Propagation {
  readonly propagated: boolean;
  /** Gateways that have not confirmed. */
  readonly missing: readonly string[];
}

/** The same in replies of older services, which may leave it out. */
type OptionalPropagation = { readonly [Name in keyof Propagation]?: Propagation[Name] | undefined };

/** Whether every gateway has applied a change, for people. */
export function propagationText({ propagated, missing }: Propagation): string {
  if (propagated) return 'Every gateway has applied it.';
  const who =
    missing.length === 0 ? 'It is not known yet whether every gateway has applied it' : `${missing.length} gateways have not confirmed yet`;
  return `${who}; they apply it within a second while NATS is up, and refuse all keys 3 s after they lose NATS.`;
}

/** A note about gateways that have not confirmed; undefined where all have, or the service does not say. */
export const delayNote = ({ propagated, missing = [] }: OptionalPropagation): string | undefined =>
  propagated === false ? propagationText({ propagated, missing }) : undefined;
