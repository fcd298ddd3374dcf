import { Module } from '@nestjs/common';
import { BlobStore } from './blob-store.js';
import { BlobUsesRepository } from './blob-uses.repository.js';
import { InstallationSecrets } from './installation-secrets.js';
import { Tickets } from './tickets.js';

/** Blobs, what uses them, and the tickets that open them. */
@Module({
  providers: [BlobStore, BlobUsesRepository, InstallationSecrets, Tickets],
  exports: [BlobStore, BlobUsesRepository, InstallationSecrets, Tickets],
})
export class BlobsModule {}
