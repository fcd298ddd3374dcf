import type { AuditEntry } from '@slipway/contracts';
import { formatUtc } from '../format/time.js';

const MOMENT = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

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
  'key.deployments': 'changed which deployments are open to the key',
  'account.limits': 'changed the limits of the account',
  'account.suspend': 'suspended the account',
  'account.resume': 'let the account go on',
  'account.delete': 'deleted the account',
  'account.quotas': 'changed the quotas of the account',
  'account.set_up_link': 'made a set-up link for the account',
  'member.invite': 'invited',
  'member.join': 'joined',
  'member.role': 'changed the role of',
  'member.remove': 'removed',
  'invitation.revoke': 'revoked the invitation of',
  'user.suspend': 'suspended',
  'user.resume': 'let go on',
  'user.delete': 'deleted',
  'user.prove': 'proved the address',
  'password.reset': 'reset the password of',
  'password.change': 'changed the password of',
  'session.sign_in': 'signed in',
  'session.sign_in_failed': 'failed to sign in',
  'session.locked_out': 'was locked out after failed sign-ins',
  'session.sign_out': 'signed out',
  'session.end': 'ended sessions of',
  'session.reuse_detected': 'lost a session: an old cookie was used again',
  'deployment.create': 'created the deployment',
  'deployment.update': 'changed the deployment',
  'deployment.scale': 'scaled the deployment',
  'deployment.stop': 'stopped the deployment',
  'deployment.resume': 'resumed the deployment',
  'deployment.retry': 'tried again the deployment',
  'deployment.delete': 'deleted the deployment',
  'quotas.set': 'changed the quotas of deployments',
  'engine.test': 'tested the connection to',
  'alias.point': 'pointed the alias',
  'alias.remove': 'removed the alias',
  'call.refused': 'was refused',
  'playground.open': 'opened the playground',
  'signing_key.rotate': 'rotated the key that signs sessions',
};

/** An action in words; one that is not known here, in the words of the log. */
export const doneOf = ({ action }: Pick<AuditEntry, 'action'>): string => DONE[action] ?? action.replace(/[._]/g, ' ');

type Actor = Pick<AuditEntry, 'actor' | 'actor_name' | 'actor_id'>;

/** Who did it. @param nameOf a person by number, where the log has the number alone; undefined = not known any more */
export function actorOf({ actor, actor_name: name, actor_id: id }: Actor, nameOf: (user: number) => string | undefined): string {
  if (actor === 'ops') return 'The operator';
  if (actor === 'unknown') return 'Unknown';
  const known = actor === 'user' && id !== null ? nameOf(id) : undefined;
  return name ?? known ?? `${actor === 'key' ? 'Key' : 'Person'} ${id ?? ''}`.trim();
}

/** What else is worth knowing, on one line. */
export const factsOf = ({ facts }: Pick<AuditEntry, 'facts'>): string =>
  Object.entries(facts)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name.replaceAll('_', ' ')}: ${MOMENT.test(String(value)) ? formatUtc(String(value)) : value}`)
    .join(', ');

/** Things that are told by a number where their name was not kept; of others the action says enough. */
const NUMBERED: Readonly<Record<string, (id: string) => string>> = {
  deployment: (id) => `deployment-${id}`,
  alias: (name) => name,
  key: (id) => `key ${id}`,
  user: (id) => `person ${id}`,
  rpc: (name) => name.replaceAll('-', ' '),
  engine: (host) => host,
};

/**
 * What was changed: its name at that time, and the slug of a deployment besides. Null where that tells nothing: an account
 * has one MCP key, and people act on themselves.
 */
export function objectOf({
  action,
  object,
  object_name: name,
  actor_name: actor,
}: Pick<AuditEntry, 'action' | 'object' | 'object_name' | 'actor_name'>): string | null {
  if (/^(mcp_key|playground|session|signing_key)\./.test(action) || (name !== null && name === actor)) return null;
  const [kind = '', id = ''] = object.split(/:(.*)/s);
  if (name === null) return NUMBERED[kind]?.(id) ?? null;
  return kind === 'deployment' ? `${name} (deployment-${id})` : name;
}
