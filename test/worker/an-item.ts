import { type AssignmentItem, DeploymentId } from '@slipway/contracts';
import { MODEL } from './rig.js';

/** An item that serves the bundled model. */
export const anItem = (dep: number, changes: Partial<AssignmentItem> = {}): AssignmentItem => ({
  dep: DeploymentId.parse(dep),
  rev: 1,
  source: { kind: 'file', path: MODEL },
  context: null,
  slots: 2,
  threads: 1,
  default_max_tokens: null,
  ...changes,
});
