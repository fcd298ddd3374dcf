import type { Contract } from './channel.js';
import { AgentHeartbeat } from './deployments/agent-heartbeat.js';
import { ReadAgentLog } from './deployments/agent-log.js';
import { Assignment } from './deployments/assignment.js';
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
import { ListModels } from './deployments/list-models.js';
import { ReadLog } from './deployments/read-log.js';
import { Control, ControlAnswer } from './inference/control.js';
import { Frames, NoInterest } from './inference/frames.js';
import { Discover, Heartbeat } from './inference/heartbeat.js';
import { Start } from './inference/start.js';
import { CreateAccount } from './keys/create-account.js';
import { CreateKey } from './keys/create-key.js';
import { CreateMcpKey } from './keys/create-mcp-key.js';
import { FindAccount } from './keys/find-account.js';
import { FindMcpKey } from './keys/find-mcp-key.js';
import { KeyFeed } from './keys/key-feed.js';
import { ListAccounts } from './keys/list-accounts.js';
import { ListKeys } from './keys/list-keys.js';
import { RenameKey } from './keys/rename-key.js';
import { RevokeKey } from './keys/revoke-key.js';
import { RotateKey } from './keys/rotate-key.js';
import { RotateMcpKey } from './keys/rotate-mcp-key.js';

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
  ListAccounts,
  CreateKey,
  ListKeys,
  RenameKey,
  RotateKey,
  RevokeKey,
  CreateMcpKey,
  FindMcpKey,
  RotateMcpKey,
  ...feed(KeyFeed),
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
  ...feed(DeploymentFeed),
  Assignment,
  AgentHeartbeat,
  ReadAgentLog,
  Start,
  Frames,
  NoInterest,
  Control,
  ControlAnswer,
  Heartbeat,
  Discover,
];
