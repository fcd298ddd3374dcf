import type { Target } from '../messages.js';

/** What a peer's start is given. */
export interface PeerPlace {
  /** Where it is installed. */
  readonly installed: string;
  /** Empty folder for its settings and whatever it writes. */
  readonly folder: string;
  readonly enginePort: number;
  /** Path of the nats-server that Slipway is measured with. */
  readonly natsServer: string;
  /** Free port for it. */
  readonly port: number;
  /** Another one, for its metrics. */
  readonly opsPort: number;
}

/** Another gateway that registries hold, and how it does as much of Slipway's work as it can. */
export interface Peer {
  readonly name: string;
  readonly version: string;
  readonly does: readonly string[];
  readonly lacks: readonly string[];
  /** Files to write before it is installed, by name; a change of them installs it anew. */
  readonly files: Readonly<Record<string, string>>;
  /** Programs with their arguments that install it, in its folder. */
  readonly install: readonly (readonly string[])[];
  /** Files to write before it starts, by name. */
  settings?(place: PeerPlace): Readonly<Record<string, string>>;
  /** Program with its arguments, and its environment beside PATH. */
  start(place: PeerPlace): { readonly words: readonly string[]; readonly environment?: Readonly<Record<string, string>> };
  /** @param stdout what it has printed, for a peer that chooses its own port */
  target(place: PeerPlace, stdout: string): Target | null;
  /** A key that it refuses; absent where it checks none. */
  readonly refusedKey?: string;
}
