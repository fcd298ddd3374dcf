import { Module } from '@nestjs/common';
import { BlobsModule } from '../blobs/blobs.module.js';
import { DatasetsModule } from '../datasets/datasets.module.js';
import { Imports } from '../imports/imports.js';
import { QuotasModule } from '../quotas/quotas.module.js';
import { Validator } from './validator.js';

/** Fetching and checking of versions. */
@Module({ imports: [BlobsModule, DatasetsModule, QuotasModule], providers: [Imports, Validator] })
export class ValidationModule {}
