import { Injectable } from '@nestjs/common';
import type { AccountId } from '@slipway/contracts';
import { BlobStore } from '../blobs/blob-store.js';
import type { VersionRow } from '../datasets/version-rows.js';
import { type IndexRecord, RECORD_BYTES, recordAt } from '../validation/example-index.js';

/** An example's record with its number. */
export interface FoundExample {
  readonly n: number;
  readonly record: IndexRecord;
  /** Where the next line begins. */
  readonly end: number;
}

/** Reads examples of ready versions from their canonical files, by number. */
@Injectable()
export class ExampleTexts {
  constructor(private readonly blobs: BlobStore) {}

  /** Records of the examples `from` to `upto`, both included. */
  async records(row: VersionRow, account: AccountId, from: number, upto: number): Promise<FoundExample[]> {
    const index = await this.blobs.require(account, row.line_index ?? '');
    const chunks: Buffer[] = [];
    // One record more says where the last line ends.
    const end = Math.min(index.bytes, (upto + 1) * RECORD_BYTES);
    for await (const chunk of index.read((from - 1) * RECORD_BYTES, end)) chunks.push(chunk);
    const records = Buffer.concat(chunks);
    return Array.from({ length: upto - from + 1 }, (_, i) => ({
      n: from + i,
      record: recordAt(records, i),
      end: (i + 2) * RECORD_BYTES <= records.length ? recordAt(records, i + 1).offset : row.bytes,
    }));
  }

  /** The canonical line of an example. */
  async text(row: VersionRow, account: AccountId, { record, end }: FoundExample): Promise<string> {
    const file = await this.blobs.require(account, row.canonical ?? '');
    const chunks: Buffer[] = [];
    for await (const chunk of file.read(record.offset, end)) chunks.push(chunk);
    return Buffer.concat(chunks).toString().trimEnd();
  }
}
