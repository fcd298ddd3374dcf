import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { ALERT_CASES, type AlertCase } from '../alert-cases.js';
import { type Alert, ALERTS, RULES_FILE } from '../alert-rules.js';
import { prometheusPrograms, promtool } from '../prometheus.js';

let program = '';
let reason = '';
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-rules-'));
  const found = await prometheusPrograms();
  if (typeof found === 'string') reason = found.slice(5);
  else program = found.promtool;
}, 600_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Promtool's file of tests for one alert: it fires in the first, and not in the second. */
function testFile({ alert, labels: { severity }, annotations }: Alert, { fires, quiet, after, labels }: AlertCase): string {
  const fired = [{ exp_labels: { severity, ...labels }, exp_annotations: annotations }];
  const test = (series: AlertCase['fires'], expected: object[]): object => ({
    interval: '15s',
    input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
    alert_rule_test: [{ alertname: alert, eval_time: `${after}m`, exp_alerts: expected }],
  });
  return stringify({ rule_files: [RULES_FILE], evaluation_interval: '15s', tests: [test(fires, fired), test(quiet, [])] });
}

it('promtool accepts the rules', async (context) => {
  if (reason !== '') return context.skip(reason);
  expect(await promtool(program, 'check', 'rules', RULES_FILE)).toContain(`SUCCESS: ${ALERTS.length} rules found`);
});

it.for(ALERTS)('the alert $alert fires as written, and only then', async (alert, context) => {
  if (reason !== '') return context.skip(reason);
  const tried = ALERT_CASES[alert.alert];
  if (!tried) throw new Error('It has no case.');
  const file = join(folder, `${alert.alert}.yaml`);
  writeFileSync(file, testFile(alert, tried));
  expect(await promtool(program, 'test', 'rules', file)).toContain('SUCCESS');
});
