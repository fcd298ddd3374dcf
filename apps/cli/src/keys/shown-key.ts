import type { Answer } from '../command.js';

/** A key with its value, which exists in this answer alone. */
export interface ShownKey {
  readonly id: number;
  readonly value: string;
  readonly hint: string;
}

/** What a service says of how far a change has come. */
export interface Propagation {
  readonly propagated: boolean;
  readonly missing: readonly string[];
}

/** The same where an older service does not say it. */
type ToldPerhaps = { readonly [Name in keyof Propagation]?: Propagation[Name] | undefined };

const ONCE = 'Shown this once: it cannot be shown again.';

/** Whether gateways obey already, for people. */
export function obeyed({ propagated, missing }: Propagation): string {
  if (propagated) return 'Every gateway obeys it already.';
  const who =
    missing.length === 0 ? 'Not every gateway is known to obey it yet' : `${missing.length} of the gateways have not confirmed yet`;
  return `${who}; they do within a second while NATS is up, and refuse all keys 3 s after they were cut off.`;
}

/** The same of a reply that older services do not say it in; nothing where all is well. */
export const notEverywhere = ({ propagated, missing = [] }: ToldPerhaps): string | undefined =>
  propagated === false ? obeyed({ propagated, missing }) : undefined;

/** Shows a key: the value on a line of its own, so that it is copied easily. */
export const shown = <K extends ShownKey>(title: string, key: K, remark?: string): Answer => ({
  json: key,
  text: `${title}\n\n  ${key.value}\n`,
  note: remark === undefined ? ONCE : `${ONCE} ${remark}`,
});
