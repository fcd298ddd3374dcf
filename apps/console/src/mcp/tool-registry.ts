import type { McpScope } from '@slipway/contracts';
import type { McpTool } from './mcp-tool.js';
import { createDeployment } from './tools/create-deployment.tool.js';
import { deleteAlias } from './tools/delete-alias.tool.js';
import { deleteDeployment } from './tools/delete-deployment.tool.js';
import { getAccount } from './tools/get-account.tool.js';
import { getDeployment } from './tools/get-deployment.tool.js';
import { getDeploymentLogs } from './tools/get-deployment-logs.tool.js';
import { getUsage } from './tools/get-usage.tool.js';
import { listDeploymentKeys } from './tools/list-deployment-keys.tool.js';
import { listDeployments } from './tools/list-deployments.tool.js';
import { listModels } from './tools/list-models.tool.js';
import { resumeDeployment } from './tools/resume-deployment.tool.js';
import { revokeDeploymentKey } from './tools/revoke-deployment-key.tool.js';
import { advanceRollout, getRollout, promoteRollout, rollBack, startRollout } from './tools/rollout.tools.js';
import { setAlias } from './tools/set-alias.tool.js';
import { stopDeployment } from './tools/stop-deployment.tool.js';
import { updateDeployment } from './tools/update-deployment.tool.js';
import { getAdapterImport, importAdapter } from './tuning/adapter-import.tools.js';
import { deleteAdapter, deployAdapter, getAdapter, getAdapterAnswers, listAdapters } from './tuning/adapter.tools.js';
import {
  addExamples,
  createDatasetUpload,
  deleteDataset,
  getDataset,
  importDataset,
  listDatasets,
  repairDataset,
} from './tuning/dataset.tools.js';
import {
  cancelEvaluation,
  createEvaluation,
  createEvaluationSuite,
  evaluateAdapter,
  getEvaluation,
  getEvaluationAnswers,
  listEvaluations,
  listEvaluationSuites,
} from './tuning/evaluation.tools.js';
import { getDatasetProblems, previewExamples } from './tuning/example.tools.js';
import {
  cancelTuningJob,
  createTuningJob,
  getTuningJob,
  listTunableBases,
  listTuningJobs,
  pauseTuningJob,
  planTuningJob,
  resumeTuningJob,
} from './tuning/job.tools.js';

/** All tools, in the order of lists. None creates or rotates a key, whose value would stay in transcripts. */
export const TOOLS: readonly McpTool[] = [
  getAccount,
  listModels,
  listDeployments,
  getDeployment,
  createDeployment,
  updateDeployment,
  stopDeployment,
  resumeDeployment,
  deleteDeployment,
  setAlias,
  deleteAlias,
  startRollout,
  getRollout,
  advanceRollout,
  promoteRollout,
  rollBack,
  getDeploymentLogs,
  getUsage,
  listDeploymentKeys,
  revokeDeploymentKey,
  listDatasets,
  getDataset,
  createDatasetUpload,
  importDataset,
  addExamples,
  getDatasetProblems,
  repairDataset,
  previewExamples,
  deleteDataset,
  listTunableBases,
  planTuningJob,
  createTuningJob,
  listTuningJobs,
  getTuningJob,
  pauseTuningJob,
  resumeTuningJob,
  cancelTuningJob,
  listAdapters,
  getAdapter,
  getAdapterAnswers,
  deployAdapter,
  importAdapter,
  getAdapterImport,
  deleteAdapter,
  listEvaluationSuites,
  createEvaluationSuite,
  createEvaluation,
  evaluateAdapter,
  listEvaluations,
  getEvaluation,
  getEvaluationAnswers,
  cancelEvaluation,
];

/** What a tool needs: `read` where it changes nothing. */
export const accessOf = ({ hints }: McpTool): McpScope => (hints.isReadOnly ? 'read' : 'write');

/** The tools that only read. */
export const READ_TOOLS: readonly McpTool[] = TOOLS.filter(({ hints }) => hints.isReadOnly);
