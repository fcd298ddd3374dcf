import type { z } from 'zod';
import type { RpcContract } from '../channel.js';
import { ListAliases, PointAlias, RemoveAlias } from '../deployments/aliases.js';
import {
  CreateDeployment,
  DeleteDeployment,
  ResumeDeployment,
  ScaleDeployment,
  StopDeployment,
  UpdateDeployment,
} from '../deployments/deployment-commands.js';
import { ListDeploymentAudit } from '../deployments/deployment-audit.js';
import { ListDeploymentEvents } from '../deployments/deployment-events.js';
import { ListDeploymentLoads } from '../deployments/deployment-load.js';
import { FindDeploymentOptions, FitDeployment } from '../deployments/deployment-options.js';
import { FindDeployment, ListDeployments } from '../deployments/deployment-views.js';
import { TestEngine } from '../deployments/engine-tests.js';
import { ReadLog } from '../deployments/logs.js';
import { AdvanceRollout, FindRollout, ListRollouts, PromoteRollout, RollBackRollout, StartRollout } from '../deployments/rollouts.js';
import { ListModels } from '../deployments/model-source.js';
import { ListAudit } from '../identity/audit.js';
import { CreateInvitation, ListInvitations, RenewInvitation, RevokeInvitation } from '../identity/invitations.js';
import { FindAccountLimits } from '../identity/limits.js';
import { ChangeRole, ListMembers, RemoveMember } from '../identity/members.js';
import { type MemberRole, RenameUser } from '../identity/people.js';
import { EndSessions, ListSessions } from '../identity/sessions.js';
import {
  CreateKey,
  FindKey,
  ListKeys,
  RenameKey,
  RevokeKey,
  RevokeKeys,
  RotateKey,
  SetKeyDeployments,
  SetKeyExpiry,
  SetKeyLimits,
} from '../keys/deployment-keys.js';
import { ListMcpCalls } from '../keys/mcp-calls.js';
import { CreateMcpKey, FindMcpKey, RotateMcpKey } from '../keys/mcp-key.js';
import { DeleteAdapter, ExportAdapter, FindAdapter, ListAdapters, ReadAdapterAnswers, RenameAdapter } from '../tuning/adapters.js';
import { FindAdapterImport, ImportAdapter, ListAdapterImports } from '../tuning/adapter-imports.js';
import { ListBases } from '../tuning/bases.js';
import { CreateSuite, DeleteSuite, FindSuite, ListSuites, SetSuiteGate } from '../tuning/evaluation-suites.js';
import {
  CancelEvaluation,
  CreateEvaluation,
  DeleteEvaluation,
  FindEvaluation,
  ListEvaluations,
  ReadBlindPairs,
  ReadEvaluationItems,
  VoteEvaluationItem,
} from '../tuning/evaluations.js';
import {
  AddExamples,
  AddSample,
  CompareVersions,
  CreateDataset,
  DeleteDataset,
  DownloadDataset,
  FindDataset,
  FindVersion,
  ImportDataset,
  ListDatasets,
  MeasureDataset,
  ReadExamples,
  ReadIssues,
  RenameDataset,
  RepairVersion,
  SetDatasetAccess,
} from '../tuning/datasets.js';
import {
  CancelJob,
  CreateJob,
  FindJob,
  ListCheckpoints,
  ListJobs,
  PauseJob,
  PlanJob,
  ReadJobEvents,
  ReadJobLog,
  ReadJobSamples,
  ReadMetrics,
  ResumeJob,
  SetJobPriority,
} from '../tuning/jobs.js';
import { FindTuningUse, ListTuningAudit } from '../tuning/tuning-quotas.js';
import { CancelUpload, FindUpload, OpenUpload } from '../tuning/uploads.js';
import { FindRequest } from '../usage/find-request.js';
import { QueryUsage } from '../usage/query-usage.js';

/** An RPC that the dashboard may call, and the least role that it needs. */
const allow = <C extends RpcContract>(role: MemberRole, rpc: C): { readonly role: MemberRole; readonly rpc: C } => ({ role, rpc });

/** The same for an RPC about the person themselves. */
const own = <C extends RpcContract>(rpc: C): { readonly role: 'viewer'; readonly rpc: C; readonly isOwn: true } => ({
  role: 'viewer',
  rpc,
  isOwn: true,
});

/**
 * The calls of the dashboard: `POST /api/<name>` with the RPC's request and its reply. `account` and
 * `actor` come from the session and are left out of the request, and so is `user` of an own call.
 * Private to the dashboard and changed with it. Calls that set cookies or count attempts (sign-in, refresh, password) have
 * their own routes.
 */
export const CONSOLE_API = {
  'deployments/list': allow('viewer', ListDeployments),
  'deployments/find': allow('viewer', FindDeployment),
  'deployments/log': allow('viewer', ReadLog),
  'deployments/load': allow('viewer', ListDeploymentLoads),
  'deployments/events': allow('viewer', ListDeploymentEvents),
  'deployments/options': allow('viewer', FindDeploymentOptions),
  'deployments/fit': allow('member', FitDeployment),
  'deployments/create': allow('member', CreateDeployment),
  'deployments/update': allow('member', UpdateDeployment),
  'deployments/scale': allow('member', ScaleDeployment),
  'deployments/stop': allow('member', StopDeployment),
  'deployments/resume': allow('member', ResumeDeployment),
  'deployments/delete': allow('member', DeleteDeployment),
  'aliases/list': allow('viewer', ListAliases),
  'aliases/point': allow('member', PointAlias),
  'aliases/remove': allow('member', RemoveAlias),
  'rollouts/list': allow('viewer', ListRollouts),
  'rollouts/find': allow('viewer', FindRollout),
  'rollouts/start': allow('member', StartRollout),
  'rollouts/advance': allow('member', AdvanceRollout),
  'rollouts/promote': allow('member', PromoteRollout),
  'rollouts/roll-back': allow('member', RollBackRollout),
  'engines/test': allow('member', TestEngine),
  'models/list': allow('viewer', ListModels),
  'keys/list': allow('viewer', ListKeys),
  'keys/find': allow('viewer', FindKey),
  'keys/create': allow('member', CreateKey),
  'keys/rename': allow('member', RenameKey),
  'keys/set-limits': allow('member', SetKeyLimits),
  'keys/set-deployments': allow('member', SetKeyDeployments),
  'keys/set-expiry': allow('member', SetKeyExpiry),
  'keys/rotate': allow('member', RotateKey),
  'keys/revoke': allow('member', RevokeKey),
  'keys/revoke-many': allow('member', RevokeKeys),
  'account-limits/find': allow('viewer', FindAccountLimits),
  'mcp-key/find': allow('viewer', FindMcpKey),
  'mcp-key/create': allow('member', CreateMcpKey),
  'mcp-key/rotate': allow('member', RotateMcpKey),
  'mcp-key/calls': allow('viewer', ListMcpCalls),
  'usage/query': allow('viewer', QueryUsage),
  'requests/find': allow('viewer', FindRequest),
  'datasets/list': allow('viewer', ListDatasets),
  'datasets/find': allow('viewer', FindDataset),
  'datasets/create': allow('member', CreateDataset),
  'datasets/rename': allow('member', RenameDataset),
  'datasets/set-access': allow('owner', SetDatasetAccess),
  'datasets/delete': allow('member', DeleteDataset),
  'versions/find': allow('viewer', FindVersion),
  'versions/compare': allow('viewer', CompareVersions),
  'versions/measure': allow('viewer', MeasureDataset),
  'versions/import': allow('member', ImportDataset),
  'versions/add-sample': allow('member', AddSample),
  'versions/add-examples': allow('member', AddExamples),
  'versions/repair': allow('member', RepairVersion),
  'versions/download': allow('member', DownloadDataset),
  'examples/list': allow('member', ReadExamples),
  'issues/list': allow('viewer', ReadIssues),
  'uploads/open': allow('member', OpenUpload),
  'uploads/find': allow('viewer', FindUpload),
  'uploads/cancel': allow('member', CancelUpload),
  'bases/list': allow('viewer', ListBases),
  'jobs/list': allow('viewer', ListJobs),
  'jobs/find': allow('viewer', FindJob),
  'jobs/metrics': allow('viewer', ReadMetrics),
  'jobs/events': allow('viewer', ReadJobEvents),
  'jobs/checkpoints': allow('viewer', ListCheckpoints),
  'jobs/output': allow('member', ReadJobLog),
  'jobs/samples': allow('member', ReadJobSamples),
  'jobs/plan': allow('member', PlanJob),
  'jobs/create': allow('member', CreateJob),
  'jobs/pause': allow('member', PauseJob),
  'jobs/resume': allow('member', ResumeJob),
  'jobs/cancel': allow('member', CancelJob),
  'jobs/set-priority': allow('member', SetJobPriority),
  'adapters/list': allow('viewer', ListAdapters),
  'adapters/find': allow('viewer', FindAdapter),
  'adapters/answers': allow('member', ReadAdapterAnswers),
  'adapters/rename': allow('member', RenameAdapter),
  'adapters/delete': allow('member', DeleteAdapter),
  'adapters/export': allow('member', ExportAdapter),
  'adapters/import': allow('member', ImportAdapter),
  'adapters/find-import': allow('viewer', FindAdapterImport),
  'adapters/imports': allow('viewer', ListAdapterImports),
  'suites/list': allow('viewer', ListSuites),
  'suites/find': allow('viewer', FindSuite),
  'suites/create': allow('member', CreateSuite),
  'suites/set-gate': allow('owner', SetSuiteGate),
  'suites/delete': allow('member', DeleteSuite),
  'evaluations/list': allow('viewer', ListEvaluations),
  'evaluations/find': allow('viewer', FindEvaluation),
  'evaluations/create': allow('member', CreateEvaluation),
  'evaluations/cancel': allow('member', CancelEvaluation),
  'evaluations/delete': allow('member', DeleteEvaluation),
  'evaluations/items': allow('member', ReadEvaluationItems),
  'evaluations/pairs': allow('member', ReadBlindPairs),
  'evaluations/vote': allow('member', VoteEvaluationItem),
  'tuning-use/find': allow('viewer', FindTuningUse),
  'tuning-audit/list': allow('owner', ListTuningAudit),
  'members/list': allow('viewer', ListMembers),
  'members/set-role': allow('owner', ChangeRole),
  'members/remove': allow('owner', RemoveMember),
  'invitations/list': allow('owner', ListInvitations),
  'invitations/create': allow('owner', CreateInvitation),
  'invitations/renew': allow('owner', RenewInvitation),
  'invitations/revoke': allow('owner', RevokeInvitation),
  'audit/list': allow('owner', ListAudit),
  'deployment-audit/list': allow('owner', ListDeploymentAudit),
  'me/rename': own(RenameUser),
  'sessions/list': own(ListSessions),
  'sessions/end': own(EndSessions),
} as const satisfies Record<string, { readonly role: MemberRole; readonly rpc: RpcContract }>;

/** Name of one call, such as `keys/create`. */
export type ConsoleCall = keyof typeof CONSOLE_API;

type RpcOf<C extends ConsoleCall> = (typeof CONSOLE_API)[C]['rpc'];

/** Body of a call. */
export type ConsoleRequest<C extends ConsoleCall> = Omit<
  z.input<RpcOf<C>['request']>,
  'account' | 'actor' | ((typeof CONSOLE_API)[C] extends { readonly isOwn: true } ? 'user' : never)
>;

/** Reply of a call. */
export type ConsoleReply<C extends ConsoleCall> = z.output<RpcOf<C>['reply']>;
