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
export { ERRORS, ServiceError, isErrorCode, isServiceError } from './errors.js';
export type { ErrorCode, RetryAdvice, ServiceErrorOptions } from './errors.js';
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
  SessionId,
  StreamId,
  UserId,
  deploymentSlug,
  parseDeploymentSlug,
} from './ids.js';
export { answererOf, inboxPrefix, permissionsOf } from './permissions.js';
export type { Permissions } from './permissions.js';

export { CreateAccount } from './keys/create-account.js';
export { CreateKey } from './keys/create-key.js';
export { FindAccount } from './keys/find-account.js';
export { AccountState, KeyFeed, KeyFeedRecord } from './keys/key-feed.js';
export { KeepPlayground } from './keys/keep-playground.js';
export { KEY_PROOF_LIFE_S, KEY_PROOF_TYPE, KeyProofClaims, McpScope, keyProofAudience } from './keys/key-proof.js';
export type { AccountFeedRecord, ApiKeyFeedRecord } from './keys/key-feed.js';
export { formatKey, keyHint, keyKindOf } from './keys/key-text.js';
export type { KeyKind } from './keys/key-text.js';
export { KeyCreator, KeyExpiry, KeyName, KeyView } from './keys/key-view.js';
export { CreateMcpKey } from './keys/create-mcp-key.js';
export { OpenMcpKey } from './keys/open-mcp-key.js';
export { CLIENT_CHARS, RecordMcpUse } from './keys/record-mcp-use.js';
export { ExpelWorker, JoinedWorker, ListWorkers, WORKERS_PAGE } from './keys/expel-worker.js';
export { JoinWorker, NameWorkers, WORKER_NAMES_MAX, WorkerIdentity } from './keys/join-worker.js';
export { OpenPlayground, PLAYGROUND_KEY_LIFE_S } from './keys/open-playground.js';
export { AccountQuotas, AccountQuotasWish, COUNTED_QUOTAS, FindAccountQuotas, SetAccountQuotas } from './keys/account-quotas.js';
export type { CountedQuota } from './keys/account-quotas.js';
export { FindAccountLimits } from './keys/find-account-limits.js';
export { FindMcpKey } from './keys/find-mcp-key.js';
export { AllowedDeployments, Limits } from './keys/limits.js';
export { SetAccountLimits } from './keys/set-account-limits.js';
export { SetAccountState } from './keys/set-account-state.js';
export { DeleteAccount } from './keys/delete-account.js';
export { DeleteUser } from './keys/delete-user.js';
export { SetUserState } from './keys/set-user-state.js';
export { SetKeyDeployments } from './keys/set-key-deployments.js';
export { SetKeyLimits } from './keys/set-key-limits.js';
export { ListAccounts } from './keys/list-accounts.js';
export { ListKeys } from './keys/list-keys.js';
export { RenameKey } from './keys/rename-key.js';
export { RevokeKey } from './keys/revoke-key.js';
export { RotateKey } from './keys/rotate-key.js';
export { RotateMcpKey } from './keys/rotate-mcp-key.js';
export { CreateInvitation } from './keys/create-invitation.js';
export { CreateSetupLink } from './keys/create-setup-link.js';
export { FindInvitation } from './keys/find-invitation.js';
export { ListInvitations } from './keys/list-invitations.js';
export { ResetPassword } from './keys/reset-password.js';
export { RevokeInvitation } from './keys/revoke-invitation.js';
export { AcceptInvitation } from './keys/accept-invitation.js';
export { ListMembers } from './keys/list-members.js';
export { ChangeRole } from './keys/change-role.js';
export { RemoveMember } from './keys/remove-member.js';
export { FindUser } from './keys/find-user.js';
export { SignIn } from './keys/sign-in.js';
export { BeginSignInExternal, SignInExternal } from './keys/sign-in-external.js';
export { RefreshSession } from './keys/refresh-session.js';
export { SignOut } from './keys/sign-out.js';
export { ListSessions } from './keys/list-sessions.js';
export { EndSessions } from './keys/end-sessions.js';
export { ChangePassword } from './keys/change-password.js';
export { ListSessionKeys } from './keys/list-session-keys.js';
export { RotateSessionKey } from './keys/rotate-session-key.js';
export { ListAudit } from './keys/list-audit.js';
export { ReadAudit, ReadDeploymentAudit, SealedAuditEntry } from './keys/read-audit.js';
export { Actor, Origin } from './keys/actor.js';
export { AuditEntry } from './keys/audit-entry.js';
export {
  Email,
  InvitationView,
  LinkToken,
  MemberRole,
  MembershipView,
  MemberView,
  NewPassword,
  Password,
  PersonName,
  UserState,
} from './keys/person.js';
export {
  BrowserToken,
  SESSION_TOKEN_ALGORITHM,
  SESSION_TOKEN_LIFE_S,
  SESSION_TOKEN_TYPE,
  SessionClaims,
  SessionTokens,
  sessionAudience,
  sessionIssuer,
} from './keys/session.js';
export { SessionFeed, SessionFeedRecord } from './keys/session-feed.js';

export { AgentHeartbeat, AgentKey, AgentLoad } from './deployments/agent-heartbeat.js';
export { Assignment, AssignmentItem, credentialBinding } from './deployments/assignment.js';
export { MessagePart } from './deployments/message-part.js';
export { CreateDeployment } from './deployments/create-deployment.js';
export { DeploymentFeed, DeploymentFeedRecord } from './deployments/deployment-feed.js';
export type { AliasFacts, DeploymentFacts } from './deployments/deployment-feed.js';
export { DesiredState, ObservedState, StateReason } from './deployments/deployment-state.js';
export { ListDeployments } from './deployments/list-deployments.js';
export { DeploymentView } from './deployments/deployment-view.js';
export { ModelSource } from './deployments/model-source.js';
export { PointAlias } from './deployments/point-alias.js';
export { StopDeployment } from './deployments/stop-deployment.js';
export { ResumeDeployment } from './deployments/resume-deployment.js';
export { ScaleDeployment } from './deployments/scale-deployment.js';
export { DeleteDeployment } from './deployments/delete-deployment.js';
export { RemoveAlias } from './deployments/remove-alias.js';
export { LOG_LINE_CHARS, LOG_RING_LINES, LogLine, ReadAgentLog } from './deployments/agent-log.js';
export { EngineFinding, engineTestBinding, TESTED_MODELS_MAX, TestAgentEngine } from './deployments/agent-engine-test.js';
export { TestEngine } from './deployments/test-engine.js';
export type { EngineTest } from './deployments/test-engine.js';
export { DeploymentName } from './deployments/deployment-name.js';
export { FindDeployment } from './deployments/find-deployment.js';
export type { ReplicaView, RevisionView } from './deployments/find-deployment.js';
export { ListAliases } from './deployments/list-aliases.js';
export { ListDeploymentAudit } from './deployments/list-deployment-audit.js';
export { ListModels } from './deployments/list-models.js';
export type { ModelView } from './deployments/list-models.js';
export { ReadLog } from './deployments/read-log.js';
export { DeploymentQuotas, FindDeploymentQuotas, SetDeploymentQuotas } from './deployments/deployment-quotas.js';
export type { DeploymentCounts } from './deployments/deployment-quotas.js';
export { UpdateDeployment } from './deployments/update-deployment.js';

export { CanonicalRequest, textOf } from './inference/canonical-request.js';
export type {
  CanonicalMessage,
  ContentPart,
  ImagePart,
  OutputFormat,
  Reasoning,
  Sampling,
  TextPart,
  Tool,
  ToolCall,
  ToolChoice,
} from './inference/canonical-request.js';
export { CAPABILITIES } from './inference/capability.js';
export type { Capability } from './inference/capability.js';
export { Control, ControlAnswer, ControlMessage } from './inference/control.js';
export { Frame, Frames, NoInterest, RejectCode, StreamTimes, readFrame } from './inference/frames.js';
export type { DataFrame, EndFrame, ErrorFrame } from './inference/frames.js';
export { Discover, Heartbeat } from './inference/heartbeat.js';
export { INLINE_START_BYTES, MAX_START_BYTES, PROTOCOL, START_HEADERS, START_PART_BYTES, Start } from './inference/start.js';
export { EMPTY_SUM, FinishReason, StreamEvent, TOKENS_MAX, Usage, addToSum } from './inference/stream-event.js';
export type { TokenLogprob } from './inference/stream-event.js';

export { CONSOLE_API } from './console/console-api.js';
export type { ConsoleCall, ConsoleReply, ConsoleRequest } from './console/console-api.js';

export { GatewayBeat } from './usage/gateway-beat.js';
export { LIMIT_HOLDERS_MAX, LimitUse, QueryBudgets, RecallLimitUse } from './usage/limit-use.js';
export { QueryUsage, USAGE_ROWS_MAX, UsageGroup, UsageLatency, UsageRow, UsageStep } from './usage/query-usage.js';
export {
  GatheredUsage,
  OrphanUsage,
  RefusedUsage,
  USAGE_DURATION_MS_MAX,
  USAGE_RECORDS_MAX,
  UsageOrphaned,
  UsageRecord,
  UsageRecorded,
} from './usage/usage-record.js';
export { UsageStream, WORK_STREAMS } from './usage/usage-stream.js';
export { workStreamName, workStreamPull, workStreamSubjects } from './work-stream.js';
export type { WorkStream } from './work-stream.js';
