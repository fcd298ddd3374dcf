import type { AccountQuotas, AuditEntry, Limits } from '@slipway/contracts';

/** Limits or quotas as the audit log tells them. */
export const limitFacts = (limits: Limits | AccountQuotas): AuditEntry['facts'] =>
  Object.fromEntries(Object.entries(limits).filter((entry): entry is [string, number] => entry[1] !== undefined));
