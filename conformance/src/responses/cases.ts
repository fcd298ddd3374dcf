import type { Part } from '../case.js';
import { responseAgents } from './agents.js';
import { responseEndings } from './endings.js';
import { refusedResponses } from './refused.js';
import { responseRequests } from './requests.js';
import { responseStore } from './store.js';
import { responseStreams } from './streams.js';
import { responseTools } from './tools.js';

/** The acceptance cases of the responses contract, in parts. */
export const responsesCases: readonly Part[] = [
  ...responseRequests,
  ...refusedResponses,
  ...responseTools,
  ...responseStreams,
  ...responseEndings,
  ...responseAgents,
  ...responseStore,
];
