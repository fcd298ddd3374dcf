import { ServiceError } from '@slipway/contracts';
import type { JobRow } from './job-rows.js';

/** The error for a job that does not exist or belongs to another account; callers cannot tell which. */
export const jobNotFound = (): ServiceError => new ServiceError('job_not_found', 'This account has no such job.', { param: 'job' });

/** The refusal of a command to a job that is over. */
export const jobFinished = ({ state }: Pick<JobRow, 'state'>): ServiceError =>
  new ServiceError('job_finished', `This job is over: ${state}.`, { param: 'job' });
