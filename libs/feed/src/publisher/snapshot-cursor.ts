import type { FeedPlace } from './feed-store.js';

/** Where a snapshot goes on, and the place that all of its pages are labelled with. */
export interface SnapshotCursor {
  readonly label: FeedPlace;
  readonly after: string;
}

const CURSOR = /^([^.]+)\.(\d{1,15})\.(.+)$/s;

export const writeCursor = ({ label, after }: SnapshotCursor): string => `${label.epoch}.${label.seq}.${after}`;

/** Null when the text is not a cursor of ours. */
export function readCursor(text: string): SnapshotCursor | null {
  const [, epoch, seq, after] = CURSOR.exec(text) ?? [];
  if (epoch === undefined || seq === undefined || after === undefined) return null;
  return { label: { epoch, seq: Number(seq) }, after };
}
