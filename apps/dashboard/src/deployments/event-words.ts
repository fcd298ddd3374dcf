import type { DeploymentEvent } from '@slipway/contracts';
import type { FeedEvent } from '../ui/event-feed.js';
import type { IconName } from '../ui/icon.js';
import { plural } from '../format/number.js';
import { slugOf } from './inference-target.js';
import { REASONS, STATES } from './state-words.js';

/** An event of a deployment, for people. */
export interface EventWords {
  readonly icon: IconName;
  readonly look: NonNullable<FeedEvent['look']>;
  readonly text: string;
  /** What changed, or why. */
  readonly detail: string | null;
}

type Words = (event: DeploymentEvent) => EventWords;

const plain = (icon: IconName, text: string, detail: string | null = null): EventWords => ({ icon, look: 'plain', text, detail });

const STATE_LOOKS = {
  ready: ['good', 'good'],
  degraded: ['warning', 'warn'],
  failed: ['failed', 'bad'],
  pending: ['clock', 'warn'],
  loading: ['refresh', 'plain'],
  stopping: ['stop', 'plain'],
  stopped: ['stop', 'plain'],
  deleting: ['delete', 'plain'],
} as const satisfies Record<NonNullable<DeploymentEvent['state']>, readonly [IconName, EventWords['look']]>;

function stateWords({ state, reason, detail, rev, count }: DeploymentEvent): EventWords {
  const [icon, look] = STATE_LOOKS[state ?? 'pending'];
  const which = rev === null || state === 'stopping' || state === 'stopped' ? '' : `: revision ${rev}`;
  const times = count > 1 ? `, ${count} times` : '';
  return { icon, look, text: `${STATES[state ?? 'pending'].text}${which}${times}`, detail: detail ?? (reason && REASONS[reason].text) };
}

const fact = ({ facts }: DeploymentEvent, name: string): string | null => (facts[name] == null ? null : String(facts[name]));

const FIELDS: Readonly<Record<string, string>> = {
  name: 'Name',
  source: 'Model',
  context: 'Context',
  slots: 'Slots',
  threads: 'Threads',
  default_max_tokens: 'Default max tokens',
  engine_options: 'Engine options',
  credential: 'Credential',
  store_responses: 'Stored responses',
};

/** The settings that an update changed, each as "before → after". */
function changesOf({ facts }: DeploymentEvent): string | null {
  const changes = Object.entries(FIELDS).flatMap(([name, words]) => (facts[name] == null ? [] : [`${words}: ${facts[name]}`]));
  return changes.length === 0 ? null : changes.join(' · ');
}

/** What changes without a new revision. */
const UNREVISED: Readonly<Record<string, string>> = { name: 'Renamed', store_responses: 'Settings changed' };

function updateWords(event: DeploymentEvent): EventWords {
  const changed = Object.keys(FIELDS).filter((name) => event.facts[name] != null);
  const isRevision = changed.length === 0 || changed.some((name) => !Object.hasOwn(UNREVISED, name));
  return plain('edit', isRevision ? `Revision ${event.rev ?? ''} created` : (UNREVISED[changed.at(-1) ?? ''] ?? ''), changesOf(event));
}

/** An alias comes here, from another deployment perhaps, or goes to another one. */
function pointWords(event: DeploymentEvent): EventWords {
  const alias = fact(event, 'alias') ?? '';
  const [to = '', from] = (fact(event, 'deployment') ?? '').split(' → ').toReversed();
  const isHere = to === slugOf({ id: event.deployment });
  if (!isHere) return plain('link', `Alias ${alias} moved to ${to}`);
  return plain('link', `Alias ${alias} points here`, from === undefined ? null : `Before: ${from}`);
}

function replicasWords(event: DeploymentEvent): EventWords {
  const { ready_replicas: ready } = event;
  const before = Number(event.facts['before'] ?? ready ?? 0);
  const isLess = (ready ?? 0) < before;
  return {
    icon: 'server',
    look: isLess ? 'warn' : 'plain',
    text: `${plural(ready ?? 0, 'replica')} ready, ${before} before`,
    detail: null,
  };
}

/** A number, or a range that the load decides in. */
function scaleWords({ facts: { min, max, target_percent: target, replicas } }: DeploymentEvent): EventWords {
  if (max == null) return plain('layers', `Scaled to ${plural(Number(replicas ?? 0), 'replica')}`);
  return plain('layers', `Scales from ${min} to ${plural(Number(max), 'replica')} by its load`, `Target: ${target} % of the slots`);
}

function loadWords({ facts: { before, replicas, requests } }: DeploymentEvent): EventWords {
  const isMore = Number(replicas) > Number(before);
  const text = `${isMore ? 'Grew' : 'Shrank'} to ${plural(Number(replicas ?? 0), 'replica')} by its load, ${before} before`;
  return plain('layers', text, `${plural(Number(requests ?? 0), 'request')} at once`);
}

/** A step of a rollout, from either side. */
function rolloutWords(event: DeploymentEvent): EventWords {
  const [alias, percent] = [fact(event, 'alias') ?? '', fact(event, 'percent') ?? '0'];
  const way = fact(event, 'deployment');
  if (event.kind === 'rollout.start') return plain('rocket', `Rollout of ${alias} began at ${percent} %`, way);
  if (event.kind === 'rollout.advance') return plain('rising', `Rollout of ${alias} is at ${percent} %`, way);
  if (event.kind === 'rollout.promote') return { ...plain('rocket', `Rollout of ${alias} was promoted`, way), look: 'good' };
  return { ...plain('undo', `Rollout of ${alias} was rolled back`, fact(event, 'reason') ?? way), look: 'warn' };
}

const WORDS: Readonly<Record<string, Words>> = {
  state: stateWords,
  serving: ({ rev }) => ({ icon: 'rocket', look: 'good', text: `Revision ${rev ?? ''} serves`, detail: null }),
  replicas: replicasWords,
  'deployment.create': () => plain('plus', 'Created'),
  'deployment.update': updateWords,
  autoscale: loadWords,
  'deployment.scale': scaleWords,
  'deployment.stop': () => plain('stop', 'Stopped'),
  'deployment.resume': () => plain('play', 'Resumed'),
  'deployment.retry': () => plain('refresh', 'Tried again'),
  'alias.point': pointWords,
  'rollout.start': rolloutWords,
  'rollout.advance': rolloutWords,
  'rollout.promote': rolloutWords,
  'rollout.back': rolloutWords,
  'alias.remove': (event) => plain('link', `Alias ${fact(event, 'alias') ?? ''} removed`),
};

/** Words an event; one of a newer version in its own words. */
export const eventWords = (event: DeploymentEvent): EventWords =>
  (Object.hasOwn(WORDS, event.kind) ? WORDS[event.kind] : undefined)?.(event) ?? plain('info', event.kind.replace(/[._]/g, ' '));

/**
 * Who did it: a person, a key, the operator; undefined = it happened by itself.
 * @param nameOf a person by number; undefined = not known any more
 */
export function eventActor({ by }: Pick<DeploymentEvent, 'by'>, nameOf: (user: number) => string | undefined): string | undefined {
  if (by === null) return undefined;
  if (by.actor === 'ops') return 'Operator';
  const known = by.actor === 'user' && by.actor_id !== null ? nameOf(by.actor_id) : undefined;
  return known ?? by.actor_name ?? (by.actor === 'key' ? 'A key' : 'A former member');
}
