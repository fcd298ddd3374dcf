import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

/** The rules for plain Prometheus. */
export const RULES_FILE = fileURLToPath(new URL('../../deploy/alerts/slipway.yaml', import.meta.url));

/** An alert of the rules. */
export interface Alert {
  readonly alert: string;
  readonly expr: string;
  /** A duration of Prometheus, such as `5m`. */
  readonly for: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly runbook_url: string };
}

/** A file of rules. */
export interface Rules {
  readonly groups: readonly { readonly name: string; readonly rules: readonly Alert[] }[];
}

export const ALERTS = (parse(readFileSync(RULES_FILE, 'utf8')) as Rules).groups.flatMap(({ rules }) => rules);
