import type { AdapterImportView } from '@slipway/contracts';

/** Why a file is no adapter that can be taken. */
export class ImportRefusal extends Error {
  override readonly name = 'ImportRefusal';

  constructor(
    readonly reason: NonNullable<AdapterImportView['reason']>,
    message: string,
  ) {
    super(message);
  }
}
