import type { ConsoleReply, VersionView } from '@slipway/contracts';

/** A data set with its versions and what uses them. */
export type DatasetDetails = ConsoleReply<'datasets/find'>;

/** What the parts of a data set's page show: one version of it. */
export interface ShownVersion {
  readonly details: DatasetDetails;
  readonly version: VersionView;
}
