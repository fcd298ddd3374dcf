import { z } from 'zod';

/** Environment name: part of every subject, the NATS account and the database names. */
export const EnvironmentName = z.string().regex(/^[a-z][a-z0-9-]{0,15}$/);

/**
 * The only texts that may become subject tokens. Other characters (`.`, `*`, `>`, blanks, control characters) could address
 * other subjects or break the protocol line.
 */
export const SUBJECT_TOKEN = /^[A-Za-z0-9_-]{1,64}$/;
const SubjectToken = z.string().regex(SUBJECT_TOKEN);

const DatabaseId = z.int().positive().max(2_147_483_647);

/** Account number from keys-service's database. */
export const AccountId = DatabaseId.brand<'AccountId'>();
export type AccountId = z.infer<typeof AccountId>;

/** API key number from keys-service's database; never the secret. */
export const KeyId = DatabaseId.brand<'KeyId'>();
export type KeyId = z.infer<typeof KeyId>;

/** A person's number from keys-service's database. */
export const UserId = DatabaseId.brand<'UserId'>();
export type UserId = z.infer<typeof UserId>;

/** Number of an invitation from keys-service's database; never the link's secret. */
export const InvitationId = DatabaseId.brand<'InvitationId'>();
export type InvitationId = z.infer<typeof InvitationId>;

/** Identifies one sign-in of a person. Not a secret. */
export const SessionId = z
  .string()
  .regex(/^[A-Za-z0-9_-]{22}$/)
  .brand<'SessionId'>();
export type SessionId = z.infer<typeof SessionId>;

/** Deployment number from deployments-service's database; `deployment-<id>` is its slug. */
export const DeploymentId = DatabaseId.brand<'DeploymentId'>();
export type DeploymentId = z.infer<typeof DeploymentId>;

/** One process start of a gateway, agent or runner. A restarted process never receives old frames. */
export const Incarnation = SubjectToken.brand<'Incarnation'>();
export type Incarnation = z.infer<typeof Incarnation>;

/** The agent in a runner's name `<agent>-<suffix>`; null for any other name. */
export function agentOfRunner(wk: string): string | null {
  const end = wk.lastIndexOf('-');
  return end > 0 && end < wk.length - 1 ? wk.slice(0, end) : null;
}

const RUNNER_SUFFIX = /-([1-9][0-9]{0,9})_[A-Za-z0-9_]+$/;

/** The name of a runner: its agent, its deployment, and random letters and digits. */
export const runnerName = (agent: Incarnation, deployment: DeploymentId, random: string): Incarnation =>
  Incarnation.parse(`${agent}-${deployment}_${random}`);

/** The deployment in a runner's name; null for a name without one, such as an agent's. */
export function deploymentOfRunner(wk: string): DeploymentId | null {
  const match = RUNNER_SUFFIX.exec(wk);
  const id = match && agentOfRunner(wk) !== null ? DeploymentId.safeParse(Number(match[1])) : null;
  return id?.success ? id.data : null;
}

/** One client request; all of its attempts on different workers share it. */
export const StreamId = SubjectToken.brand<'StreamId'>();
export type StreamId = z.infer<typeof StreamId>;

/** Id of a request for its client, in the header `x-request-id`: that of its stream after a prefix. Not a secret. */
export const RequestId = z
  .string()
  .regex(/^req_[A-Za-z0-9_-]{1,64}$/)
  .brand<'RequestId'>();
export type RequestId = z.infer<typeof RequestId>;

const REQUEST_PREFIX = 'req_';
/** The request that a stream answers. */
export const requestIdOf = (stream: StreamId): RequestId => `${REQUEST_PREFIX}${stream}` as RequestId;
/** The stream of a request. A request has at most one. */
export const streamIdOf = (request: RequestId): StreamId => request.slice(REQUEST_PREFIX.length) as StreamId;

/** The stream of a part of a request whose parts run side by side; the first part's is the request's own. @param part from 0 */
export const partStream = (request: StreamId, part: number): StreamId => (part === 0 ? request : `${request}_${part}`) as StreamId;

const PART_STREAM = /^([0-9A-Za-z]{22})_[0-9]{1,5}$/;

/** The stream of the request that a stream is a part of; itself where it is none. */
export const wholeStream = (stream: StreamId): StreamId => (PART_STREAM.exec(stream)?.[1] ?? stream) as StreamId;

const RESERVED_SLUGS = new Set([
  ...['v1', 'api', 'mcp', 'openapi', 'openapi.json', 'livez', 'readyz', 'healthz', 'metrics'],
  ...['assets', 'login', 'auth', 'admin', 'sign-in', 'join', 'uploads', 'downloads'],
]);
const notReserved = (slug: string): boolean => !RESERVED_SLUGS.has(slug) && !slug.startsWith('deployment-');

/** Account part of `{account}/{alias}`; never changes. */
export const AccountSlug = z
  .string()
  .regex(/^[a-z][a-z0-9-]{1,38}[a-z0-9]$/)
  .refine(notReserved, 'This name is reserved.');

/** Alias part of `{account}/{alias}`. Dots and underscores are allowed, as in names of models. */
export const AliasName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,62}$/)
  .refine(notReserved, 'This name is reserved.');

const DEPLOYMENT_SLUG = /^deployment-([1-9][0-9]{0,9})$/;

/** The slug under which clients call a deployment. */
export const deploymentSlug = (id: DeploymentId): string => `deployment-${id}`;

/** Reads `deployment-<id>`; null for anything else, leading zeros and out-of-range numbers included. */
export function parseDeploymentSlug(slug: string): DeploymentId | null {
  const match = DEPLOYMENT_SLUG.exec(slug);
  const id = match ? DeploymentId.safeParse(Number(match[1])) : null;
  return id?.success ? id.data : null;
}
