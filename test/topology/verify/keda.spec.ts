import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Ajv } from 'ajv';
import { afterAll, beforeAll, expect, it, type TestContext } from 'vitest';
import { parse } from 'yaml';
import { CHART } from '../chart.js';
import { goModule, goTool, HELM, KEDA_SCALER } from '../cluster-tools.js';
import { PrometheusStub } from '../prometheus-stub.js';
import { objectsOf, renderChart } from '../rendered-chart.js';

interface ScaledObject {
  readonly metadata: object;
  readonly spec: {
    readonly minReplicaCount: number;
    readonly triggers: readonly { readonly metadata: Readonly<Record<string, string>> }[];
  };
}

/** What an autoscaler gets of a trigger. */
interface Reading {
  readonly value: number;
  readonly target: number;
  readonly active: boolean;
}

const prometheus = new PrometheusStub();
let reason = '';
let scaler = '';
let schema: object = {};
let scaled: ScaledObject | undefined;

const object = (context: TestContext): ScaledObject => scaled ?? context.skip(reason);

/** Closes the objects of a CRD's schema to unknown names, as the API server's strict validation does. */
function strict(node: unknown): void {
  if (typeof node !== 'object' || node === null) return;
  const { type, properties } = node as { type?: unknown; properties?: object };
  if (type === 'object' && properties) Object.assign(node, { additionalProperties: false, ...node });
  for (const value of Object.values(node)) strict(value);
}

beforeAll(async () => {
  await prometheus.start();
  const helm = await goTool(HELM);
  const found = helm.startsWith('skip:') ? helm : await goTool(KEDA_SCALER);
  if (found.startsWith('skip:')) {
    reason = found.slice(5);
    return;
  }
  scaler = found;
  const module = await goModule(`${KEDA_SCALER.module}@${KEDA_SCALER.version}`);
  const crd = parse(readFileSync(join(module, 'config/crd/bases/keda.sh_scaledobjects.yaml'), 'utf8')) as {
    spec: { versions: { schema: { openAPIV3Schema: { properties: Record<string, object> } } }[] };
  };
  schema = crd.spec.versions[0]!.schema.openAPIV3Schema;
  const text = await renderChart(helm, join(CHART, 'ci/gpu-pools.yaml'));
  scaled = objectsOf(text).find(({ kind }) => kind === 'ScaledObject') as unknown as ScaledObject;
}, 3_600_000);
afterAll(() => prometheus?.stop());

/** What KEDA reads where Prometheus says this. @throws Error with KEDA's words */
async function read({ metadata, spec }: ScaledObject, answer: number | null): Promise<Reading> {
  prometheus.answer = answer;
  const [trigger] = spec.triggers;
  const triggers = [{ ...trigger, metadata: { ...trigger!.metadata, serverAddress: prometheus.url } }];
  const running = promisify(execFile)(scaler, { timeout: 60_000 });
  running.child.stdin?.end(JSON.stringify({ metadata, spec: { ...spec, triggers } }));
  return JSON.parse((await running).stdout) as Reading;
}

/** An autoscaler's rule for a value that is shared by all pods. */
const wantedPods = ({ value, target }: Reading): number => Math.ceil(value / target);

it('a ScaledObject fits the schema of KEDA', (context) => {
  const one = object(context);
  strict(schema);
  Object.assign((schema as { properties: object }).properties, { metadata: { type: 'object' } });
  const isValid = new Ajv({ strict: false, allErrors: true, validateFormats: false }).compile(schema);
  expect([isValid(one), isValid.errors]).toEqual([true, null]);
});

it('KEDA asks for one worker more per unplaced replica', async (context) => {
  const one = object(context);
  const before = await read(one, one.spec.minReplicaCount);
  expect([wantedPods(before), before.active]).toEqual([one.spec.minReplicaCount, true]);
  expect(wantedPods(await read(one, one.spec.minReplicaCount + 1))).toBe(one.spec.minReplicaCount + 1);
  expect(new Set(prometheus.queries)).toEqual(new Set([one.spec.triggers[0]!.metadata['query']]));
});

it('KEDA fails without an answer, so that nothing shrinks', async (context) => {
  const one = object(context);
  await expect(read(one, null)).rejects.toThrow('target may be lost, the result is empty');
  expect(one.spec).toMatchObject({ fallback: { behavior: 'currentReplicasIfHigher' } });
});
