import { PROTOCOL, readRelease, RELEASE_HEADER, releaseText, type Role, type ToldRelease } from '@slipway/contracts';
import { headers, type Msg, type MsgHdrs, type NatsConnection } from '@nats-io/transport-node';
import { SLIPWAY_VERSION } from '../config/version.js';

/** How long an answer tells of a replica, in milliseconds: several replicas of one role answer in turns. */
const HEARD_FOR_MS = 10_000;
/** Most releases of one role that are kept apart. */
const RELEASES_MAX = 16;

const told = new Map<Role, MsgHdrs>();

/** Headers by which a process of this role tells its release. Shared: nobody adds to them. */
export function releaseHeaders(role: Role): MsgHdrs {
  let own = told.get(role);
  if (!own) {
    own = headers();
    own.set(RELEASE_HEADER, releaseText(role, SLIPWAY_VERSION, PROTOCOL));
    told.set(role, own);
  }
  return own;
}

/** The releases of others as their messages told them, by role. */
export class HeardReleases {
  readonly #heard = new Map<Role, Map<string, number>>();

  /** @param now in milliseconds, on any clock that only rises */
  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Notes what a message of a role told; undefined = nothing, as processes before release 0.2 do. */
  note(role: Role, text: string | undefined): void {
    const texts = this.#heard.get(role) ?? new Map<string, number>();
    this.#heard.set(role, texts);
    if (texts.size >= RELEASES_MAX && !texts.has(text ?? '')) texts.clear();
    texts.set(text ?? '', this.now());
  }

  /** The lowest release of a role within the last 10 s; null where nothing was heard of it. */
  lowest(role: Role): ToldRelease | null {
    const since = this.now() - HEARD_FOR_MS;
    const heard = [...(this.#heard.get(role) ?? [])].filter(([, at]) => at >= since).map(([text]) => readRelease(text));
    return heard.reduce<ToldRelease | null>((low, one) => (low === null || one.level < low.level ? one : low), null);
  }
}

const byConnection = new WeakMap<NatsConnection, HeardReleases>();

/** What was heard on a connection. */
export function heardOn(nats: NatsConnection): HeardReleases {
  let heard = byConnection.get(nats);
  if (!heard) byConnection.set(nats, (heard = new HeardReleases()));
  return heard;
}

/** Notes the release of a message that only processes of this role may send. */
export const noteRelease = (nats: NatsConnection, role: Role, message: Pick<Msg, 'headers'>): void =>
  heardOn(nats).note(role, message.headers?.get(RELEASE_HEADER) || undefined);
