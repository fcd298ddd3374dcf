export {
  NAMED_ROLES,
  PLAIN_ROLES,
  PROOF_HEADER,
  ROLES,
  SCOPED_ROLES,
  callSubjectOf,
  callerOf,
  defineEvent,
  defineRpc,
  servedSubjectsOf,
  subjectOf,
  wildcardOf,
} from './channel.js';
export type {
  Contract,
  EventContract,
  PlainRole,
  Proof,
  Role,
  ScopedRole,
  RpcContract,
  SubjectTemplate,
  SubjectTokens,
} from './channel.js';
export { CONTRACTS } from './contracts.js';
export { ERRORS, INFERENCE_ERRORS, ServiceError, isErrorCode, isInferenceErrorCode, isServiceError } from './errors.js';
export type { ErrorCode, InferenceErrorCode, RetryAdvice, ServiceErrorOptions } from './errors.js';
export { defineFeed } from './feed.js';
export type { FeedChange, FeedContract } from './feed.js';
export {
  AccountId,
  AccountSlug,
  AliasName,
  DeploymentId,
  EnvironmentName,
  agentOfRunner,
  deploymentOfRunner,
  runnerName,
  Incarnation,
  InvitationId,
  KeyId,
  RequestId,
  requestIdOf,
  streamIdOf,
  partStream,
  wholeStream,
  SessionId,
  StreamId,
  UserId,
  deploymentSlug,
  parseDeploymentSlug,
} from './ids.js';
export { answererOf, inboxPrefix, permissionsOf } from './permissions.js';
export type { Permissions } from './permissions.js';
export { checkToSend, isRecord } from './schemas.js';
export { valueStoreName, valueSubject } from './value-store.js';
export type { ValueStore } from './value-store.js';
export { workStreamName, workStreamSubjects } from './work-stream.js';
export type { WorkStream } from './work-stream.js';

export * from './identity/index.js';
export * from './keys/index.js';
export * from './deployments/index.js';
export * from './engines/index.js';
export * from './inference/index.js';
export * from './tuning/index.js';
export * from './releases/index.js';
export * from './usage/index.js';
export * from './console/index.js';
