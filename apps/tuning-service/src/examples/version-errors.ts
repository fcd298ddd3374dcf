import { ServiceError } from '@slipway/contracts';
import type { VersionRow } from '../datasets/version-rows.js';

/** The refusal of a version that cannot be used, with what it waits for. */
export const notReady = ({ state, detail }: Pick<VersionRow, 'state' | 'detail'>): ServiceError =>
  new ServiceError('dataset_not_ready', `This version is ${state}${detail === null ? '' : `: ${detail}`}`, { param: 'version' });
