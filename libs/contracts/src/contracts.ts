import type { Contract } from './channel.js';
import { AgentHeartbeat } from './deployments/agent-heartbeat.js';
import { ReadAgentLog } from './deployments/agent-log.js';
import { TestAgentEngine } from './deployments/agent-engine-test.js';
import { Assignment } from './deployments/assignment.js';
import { FindDeploymentQuotas, SetDeploymentQuotas } from './deployments/deployment-quotas.js';
import { CreateDeployment } from './deployments/create-deployment.js';
import { DeploymentFeed } from './deployments/deployment-feed.js';
import { ListDeployments } from './deployments/list-deployments.js';
import { PointAlias } from './deployments/point-alias.js';
import { StopDeployment } from './deployments/stop-deployment.js';
import { ResumeDeployment } from './deployments/resume-deployment.js';
import { ScaleDeployment } from './deployments/scale-deployment.js';
import { DeleteDeployment } from './deployments/delete-deployment.js';
import { RemoveAlias } from './deployments/remove-alias.js';
import { UpdateDeployment } from './deployments/update-deployment.js';
import { FindDeployment } from './deployments/find-deployment.js';
import { ListAliases } from './deployments/list-aliases.js';
import { ListDeploymentAudit } from './deployments/list-deployment-audit.js';
import { ListModels } from './deployments/list-models.js';
import { ReadLog } from './deployments/read-log.js';
import { TestEngine } from './deployments/test-engine.js';
import { Control, ControlAnswer } from './inference/control.js';
import { Frames, NoInterest } from './inference/frames.js';
import { Discover, Heartbeat } from './inference/heartbeat.js';
import { Start } from './inference/start.js';
import { CreateAccount } from './keys/create-account.js';
import { CreateKey } from './keys/create-key.js';
import { CreateMcpKey } from './keys/create-mcp-key.js';
import { FindAccount } from './keys/find-account.js';
import { FindAccountQuotas, SetAccountQuotas } from './keys/account-quotas.js';
import { FindAccountLimits } from './keys/find-account-limits.js';
import { FindMcpKey } from './keys/find-mcp-key.js';
import { KeyFeed } from './keys/key-feed.js';
import { ListAccounts } from './keys/list-accounts.js';
import { ListKeys } from './keys/list-keys.js';
import { OpenMcpKey } from './keys/open-mcp-key.js';
import { KeepPlayground } from './keys/keep-playground.js';
import { OpenPlayground } from './keys/open-playground.js';
import { ReadAudit, ReadDeploymentAudit } from './keys/read-audit.js';
import { RecordMcpUse } from './keys/record-mcp-use.js';
import { RenameKey } from './keys/rename-key.js';
import { RevokeKey } from './keys/revoke-key.js';
import { RotateKey } from './keys/rotate-key.js';
import { RotateMcpKey } from './keys/rotate-mcp-key.js';
import { SetAccountLimits } from './keys/set-account-limits.js';
import { SetAccountState } from './keys/set-account-state.js';
import { DeleteAccount } from './keys/delete-account.js';
import { DeleteUser } from './keys/delete-user.js';
import { SetUserState } from './keys/set-user-state.js';
import { SetKeyDeployments } from './keys/set-key-deployments.js';
import { SetKeyLimits } from './keys/set-key-limits.js';
import { CreateInvitation } from './keys/create-invitation.js';
import { CreateSetupLink } from './keys/create-setup-link.js';
import { FindInvitation } from './keys/find-invitation.js';
import { ListInvitations } from './keys/list-invitations.js';
import { ResetPassword } from './keys/reset-password.js';
import { RevokeInvitation } from './keys/revoke-invitation.js';
import { AcceptInvitation } from './keys/accept-invitation.js';
import { ListMembers } from './keys/list-members.js';
import { ChangeRole } from './keys/change-role.js';
import { RemoveMember } from './keys/remove-member.js';
import { FindUser } from './keys/find-user.js';
import { SignIn } from './keys/sign-in.js';
import { BeginSignInExternal, SignInExternal } from './keys/sign-in-external.js';
import { RefreshSession } from './keys/refresh-session.js';
import { SignOut } from './keys/sign-out.js';
import { ListSessions } from './keys/list-sessions.js';
import { EndSessions } from './keys/end-sessions.js';
import { ChangePassword } from './keys/change-password.js';
import { ListSessionKeys } from './keys/list-session-keys.js';
import { RotateSessionKey } from './keys/rotate-session-key.js';
import { ExpelWorker, ListWorkers } from './keys/expel-worker.js';
import { JoinWorker, NameWorkers } from './keys/join-worker.js';
import { ListAudit } from './keys/list-audit.js';
import { SessionFeed } from './keys/session-feed.js';
import { GatewayBeat } from './usage/gateway-beat.js';
import { LimitUse, QueryBudgets, RecallLimitUse } from './usage/limit-use.js';
import { QueryUsage } from './usage/query-usage.js';
import { UsageOrphaned, UsageRecorded } from './usage/usage-record.js';

const feed = (f: { change: Contract; tick: Contract; since: Contract; snapshot: Contract }): Contract[] => [
  f.change,
  f.tick,
  f.since,
  f.snapshot,
];

/** Every exchange between processes. One that is missing here has no permissions and cannot happen. */
export const CONTRACTS: readonly Contract[] = [
  CreateAccount,
  FindAccount,
  FindAccountLimits,
  FindAccountQuotas,
  ListAccounts,
  CreateKey,
  ListKeys,
  RenameKey,
  RotateKey,
  RevokeKey,
  SetKeyLimits,
  SetKeyDeployments,
  SetAccountLimits,
  SetAccountState,
  DeleteAccount,
  SetAccountQuotas,
  CreateMcpKey,
  FindMcpKey,
  OpenMcpKey,
  RecordMcpUse,
  RotateMcpKey,
  OpenPlayground,
  KeepPlayground,
  ...feed(KeyFeed),
  CreateInvitation,
  CreateSetupLink,
  FindInvitation,
  ListInvitations,
  ResetPassword,
  SetUserState,
  DeleteUser,
  RevokeInvitation,
  AcceptInvitation,
  ListMembers,
  ChangeRole,
  RemoveMember,
  FindUser,
  SignIn,
  BeginSignInExternal,
  SignInExternal,
  RefreshSession,
  SignOut,
  ListSessions,
  EndSessions,
  ChangePassword,
  ListSessionKeys,
  RotateSessionKey,
  ListAudit,
  ReadAudit,
  ExpelWorker,
  ListWorkers,
  JoinWorker,
  NameWorkers,
  ...feed(SessionFeed),
  UsageRecorded,
  UsageOrphaned,
  QueryUsage,
  LimitUse,
  RecallLimitUse,
  QueryBudgets,
  CreateDeployment,
  ListDeployments,
  PointAlias,
  StopDeployment,
  ResumeDeployment,
  ScaleDeployment,
  DeleteDeployment,
  RemoveAlias,
  UpdateDeployment,
  FindDeployment,
  ListAliases,
  ListModels,
  ReadLog,
  TestEngine,
  ListDeploymentAudit,
  ReadDeploymentAudit,
  FindDeploymentQuotas,
  SetDeploymentQuotas,
  ...feed(DeploymentFeed),
  Assignment,
  AgentHeartbeat,
  ReadAgentLog,
  TestAgentEngine,
  Start,
  Frames,
  NoInterest,
  Control,
  ControlAnswer,
  Heartbeat,
  Discover,
  GatewayBeat,
];
