import type { AuditEntry, Limits } from '@slipway/contracts';

/** Limits as the audit log tells them. */
export const limitFacts = (limits: Limits): AuditEntry['facts'] =>
  Object.fromEntries(Object.entries(limits).filter((entry): entry is [string, number] => entry[1] !== undefined));
