import type { AuditEntry } from '@slipway/contracts';
import { formatUtc } from '../format/time.js';

const MOMENT = /\d{4}-\d\d-\d\dT[\d:.]+Z/g;

/** What was done, as a sentence goes on after who did it: "rotated the key". */
const DONE: Readonly<Record<string, string>> = {
  'account.create': 'created the account',
  'key.create': 'created the key',
  'key.rename': 'renamed the key',
  'key.rotate': 'rotated the key',
  'key.revoke': 'revoked the key',
  'mcp_key.create': 'created the MCP key',
  'mcp_key.rotate': 'rotated the MCP key',
  'key.limits': 'changed the limits of the key',
  'key.expiry': 'changed the expiry of the key',
  'key.deployments': 'changed the deployments of the key',
  'account.limits': 'changed the limits of the account',
  'account.suspend': 'suspended the account',
  'account.resume': 'resumed the account',
  'account.delete': 'deleted the account',
  'account.quotas': 'changed the quotas of the account',
  'account.set_up_link': 'created a set-up link for the account',
  'member.invite': 'invited',
  'member.join': 'joined',
  'member.role': 'changed the role of',
  'member.remove': 'removed',
  'invitation.revoke': 'revoked the invitation of',
  'invitation.renew': 'resent the invitation of',
  'user.suspend': 'suspended',
  'user.resume': 'resumed',
  'user.delete': 'deleted',
  'user.prove': 'confirmed the address of',
  'user.rename': 'changed the name of',
  'password.reset': 'reset the password of',
  'password.change': 'changed the password of',
  'session.sign_in': 'signed in',
  'session.sign_in_failed': 'failed to sign in',
  'session.locked_out': 'was locked out after failed sign-ins',
  'session.sign_out': 'signed out',
  'session.end': 'ended sessions of',
  'session.reuse_detected': 'was signed out: an old session cookie was used again',
  'deployment.create': 'created the deployment',
  'deployment.update': 'updated the deployment',
  'deployment.scale': 'scaled the deployment',
  'deployment.stop': 'stopped the deployment',
  'deployment.resume': 'resumed the deployment',
  'deployment.retry': 'retried the deployment',
  'deployment.delete': 'deleted the deployment',
  'quotas.set': 'changed the quotas of',
  'dataset.create': 'created the data set',
  'dataset.upload': 'made a version of the data set',
  'dataset.rename': 'renamed the data set',
  'dataset.access': 'changed the agent access of the data set',
  'dataset.export': 'downloaded the data set',
  'dataset.preview_by_agent': 'read examples of the data set',
  'dataset.delete': 'deleted the data set',
  'job.create': 'started the job',
  'job.pause': 'paused the job',
  'job.resume': 'resumed the job',
  'job.cancel': 'cancelled the job',
  'job.priority': 'changed the priority of the job',
  'adapter.import': 'imported the adapter',
  'adapter.rename': 'renamed the adapter',
  'adapter.export': 'downloaded the adapter',
  'adapter.delete': 'deleted the adapter',
  'adapter.override_gate': 'deployed against its verdict the adapter',
  'suite.create': 'created the suite',
  'suite.gate': 'changed what is gated by the suite',
  'suite.delete': 'deleted the suite',
  'evaluation.create': 'started an evaluation by',
  'evaluation.cancel': 'cancelled an evaluation by',
  'evaluation.vote': 'voted in an evaluation by',
  'evaluation.read_by_agent': 'read answers of an evaluation by',
  'evaluation.delete': 'deleted an evaluation by',
  'evaluation.open_key': 'opened the key of evaluations',
  'engine.test': 'tested the engine',
  'alias.point': 'pointed the alias',
  'alias.remove': 'removed the alias',
  'rollout.start': 'started a rollout of the alias',
  'rollout.advance': 'took a step of the rollout of the alias',
  'rollout.promote': 'promoted the rollout of the alias',
  'rollout.back': 'rolled back the alias',
  'call.refused': 'was refused',
  'playground.open': 'opened the playground',
  'signing_key.rotate': 'rotated the session signing key',
  'worker.expel': 'expelled the worker',
};

/** An action in words; one that is not known here, in the words of the log. */
export const doneOf = ({ action }: Pick<AuditEntry, 'action'>): string => DONE[action] ?? action.replace(/[._]/g, ' ');

/** The same in a sentence that goes on with the target: what the target says too is left out, as in "created the MCP key". */
export function doneTo(entry: Pick<AuditEntry, 'action'>, target: string | undefined): string {
  const done = doneOf(entry);
  return target !== undefined && done.endsWith(` ${target}`) ? done.slice(0, -target.length - 1) : done;
}

/** Actions that a log can be filtered by: kinds first, then each action. @param kinds those that the log holds */
export function actionsOf(kinds: readonly string[]): readonly string[] {
  return [...kinds, ...Object.keys(DONE).filter((action) => kinds.includes(action.split('.')[0] ?? ''))];
}

/** A kind or an action as a filter shows it. */
export function actionWords(action: string): string {
  const words = action.includes('.') ? doneOf({ action }) : `all of ${action.replaceAll('_', ' ')}`;
  return words.charAt(0).toUpperCase() + words.slice(1);
}

type Actor = Pick<AuditEntry, 'actor' | 'actor_name' | 'actor_id' | 'actor_person'>;

/** Who did it. @param nameOf a person by number, where the log has the number alone; undefined = not known any more */
export function actorOf(
  { actor, actor_name: name, actor_id: id, actor_person: person }: Actor,
  nameOf: (user: number) => string | undefined,
): string {
  if (actor === 'ops') return 'Operator';
  if (actor === 'unknown') return 'Unknown';
  const known = actor === 'user' && id !== null ? nameOf(id) : undefined;
  return person ?? name ?? known ?? `${actor === 'key' ? 'Key' : 'Person'} ${id ?? ''}`.trim();
}

/** Facts that say what a change began with, beside the one that they belong to. */
const AFTER_FROM = ['role', 'state', 'name'] as const;

const written = (value: string | number): string => String(value).replaceAll(MOMENT, formatUtc);

/** Details of an entry by name, changes as "before → after". */
export function changesOf({ facts }: Pick<AuditEntry, 'facts'>): readonly (readonly [name: string, text: string])[] {
  const { from } = facts;
  const after = from === undefined || from === null ? undefined : AFTER_FROM.find((name) => facts[name] !== undefined);
  return Object.entries(facts).flatMap(([name, value]) => {
    if (value === null || (name === 'from' && after !== undefined)) return [];
    const text = name === after ? `${written(from ?? '')} → ${written(value)}` : written(value);
    return [[name.replaceAll('_', ' '), text] as const];
  });
}

/** The same on one line. */
export const factsOf = (entry: Pick<AuditEntry, 'facts'>): string =>
  changesOf(entry)
    .map(([name, text]) => `${name}: ${text}`)
    .join(', ');
