import type { Role } from '../channel.js';
import { levelOf, type Need, processNameOf } from './needs.js';

/** Header of RPC answers and assignments: the release of the process that sent them, as `releaseText` writes it. */
export const RELEASE_HEADER = 'Slipway-Release';

/** What a process tells of its release. */
export interface ToldRelease {
  /** Such as `0.3.0`; null for a process that says nothing, as those before 0.2 do not. */
  readonly release: string | null;
  /** See `levelOf`; 0 for a process that says nothing. */
  readonly level: number;
}

const LENGTH_MAX = 100;
const FORM = /^([\w.+-]{1,40})(?:;|$)/;
const LEVEL = /; level=(\d{1,6})(?:;|$)/;

/** A process's release as it tells it: `0.3.0; protocol=1.0; level=2`. */
export const releaseText = (role: Role, release: string, protocol: string): string =>
  `${release}; protocol=${protocol}; level=${levelOf(role)}`;

/** Reads `releaseText`, also with parts that later releases add. What cannot be read counts as nothing said. */
export function readRelease(text: string | undefined): ToldRelease {
  const told = text !== undefined && text.length <= LENGTH_MAX ? text : '';
  return { release: FORM.exec(told)?.[1] ?? null, level: Number(LEVEL.exec(told)?.[1] ?? 0) };
}

/** Why a process that needs more than it was told is not ready, with both names and releases. */
export function unmetText({ of, from, because }: Need, { release }: ToldRelease, own: string): string {
  const runs = release === null ? 'an older release, which does not say its number' : release;
  return `${processNameOf(from)} runs ${runs}; this ${processNameOf(of)} is ${own} and needs it updated first: ${because}`;
}
