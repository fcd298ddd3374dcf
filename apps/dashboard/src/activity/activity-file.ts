import type { AuditEntry } from '@slipway/contracts';
import { csvOf } from '../usage/usage-file.js';

const COLUMNS = ['id', 'at', 'actor', 'actor_id', 'actor_name', 'action', 'object', 'object_name', 'details', 'address', 'client'] as const;

/** Entries of a log as a file for spreadsheets, times in UTC. */
export const activityCsv = (entries: readonly AuditEntry[]): string =>
  csvOf(
    COLUMNS,
    entries.map(({ facts, actor_person: _person, ...entry }) => ({
      ...entry,
      details: Object.keys(facts).length === 0 ? '' : JSON.stringify(facts),
    })),
  );

/** The same as JSON, with the filters that they were asked by. */
export const activityJson = (entries: readonly AuditEntry[], filters: object): string =>
  `${JSON.stringify({ filters, entries }, null, 2)}\n`;
