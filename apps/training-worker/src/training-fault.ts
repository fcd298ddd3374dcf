/** Why training cannot go on. The words are part of what the training worker reports. */
export type TrainingFaultCode =
  | 'adapter_mismatch'
  | 'base_changed'
  | 'base_not_trainable'
  | 'dataset_invalid'
  | 'diverged'
  | 'no_disk'
  | 'no_effect'
  | 'out_of_memory'
  | 'storage_failed'
  | 'template_mismatch'
  | 'time_limit'
  | 'too_long'
  | 'trainer_crashed'
  | 'trainer_failed'
  | 'trainer_unavailable'
  | 'weights_need_torch';

/** The end of a job that the owner of the job sees. */
export class TrainingFault extends Error {
  override readonly name = 'TrainingFault';

  /**
   * @param publicMessage one sentence that says what to do; it quotes nothing of the data set
   * @param facts figures for the job's events
   */
  constructor(
    readonly code: TrainingFaultCode,
    publicMessage: string,
    readonly facts: Readonly<Record<string, string | number>> = {},
    options?: ErrorOptions,
  ) {
    super(publicMessage, options);
  }
}

/** Whether the system refused to write because a disk, or a share of it, is full. */
export function isDiskFull(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException | null)?.code;
  return code === 'ENOSPC' || code === 'EDQUOT';
}

/** The fault of a worker without room. */
export const diskFull = (cause?: unknown): TrainingFault =>
  new TrainingFault('no_disk', 'The disk of the training worker is full. Its operator must free some.', {}, { cause });
