import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Door } from './door.js';
import type { PublicContract } from './contract-form.js';
import { anywhere, expectRow, kept, type Row, rowsAt } from './expect-row.js';
import { until } from './gateway-rig.js';
import { withoutIds } from './raw-answer.js';
import { rawRequest } from './raw-client.js';

const NO_SUCH = [404, 'model_not_found'] as const;
const NOWHERE = [404, 'not_found'] as const;
const BAD_PATH = [400, 'invalid_path'] as const;
const STOPPED = [409, 'deployment_stopped'] as const;
const UNAVAILABLE = [503, 'deployment_unavailable'] as const;

const served = (door: Door): string => door.path();
const numbered = (number: string): Row =>
  kept(`deployment-${number.length > 30 ? `${number.slice(0, 8)}…` : number}`, (d) => d.at(d.path(`deployment-${number}`)), NO_SUCH);
/** A deployment part that decodes to something else than it looks. @param suffix comes after the slug of a deployment that answers. */
const twisted = (suffix: string): Row => kept(`a slug with ${suffix}`, (d) => d.at(d.path(`${d.slug}${suffix}`)), NO_SUCH);

const NAME_ROWS: Row[] = [
  kept('a deployment that does not exist', (d) => d.at(d.path('deployment-99999')), NO_SUCH),
  kept('a deployment of another account', (d) => d.at(d.path(d.slugOf('foreign'))), NO_SUCH),
  kept('an alias that does not exist', (d) => d.at(d.path(`${d.account.slug}/none`)), NO_SUCH),
  kept('an alias of another account', (d) => d.at(d.path('stranger/theirs')), NO_SUCH),
  kept('an account that does not exist', (d) => d.at(d.path('nobody/demo-7b')), NO_SUCH),
  kept('an alias without its account', (d) => d.at(d.path('demo-7b')), NO_SUCH),
  kept('a deployment that is stopped', (d) => d.at(d.path(d.slugOf('stopped'))), STOPPED),
  kept(
    'a deployment that is stopped, with a body that is no JSON',
    (d) => rawRequest(d.path(d.slugOf('stopped')), d.headers(), '{{{'),
    STOPPED,
  ),
  kept('a deployment that is starting', (d) => d.at(d.path(d.slugOf('starting'))), UNAVAILABLE),
  kept(
    'a deployment without a worker',
    (d) => rawRequest(d.path(d.slugOf('idle')), d.headers(), d.body({}, d.slugOf('idle'))),
    UNAVAILABLE,
  ),
  ...['0', '-1', '01', '+1', '1e3', '1.0', '0x1', '١', '9'.repeat(30), '1'.repeat(9_000)].map((number) =>
    numbered(encodeURIComponent(number)),
  ),
  ...['%2f..%2fadmin', '%2F', '%00', '%0d%0aPUB%20x%201%0d%0ahi', '*', '%3e', '.', '%20', '%2e%2e', '%5c', '%c3%bc'].map(twisted),
  kept('dots for an account', (d) => d.at(d.path('..%2f..%2fx')), NO_SUCH),
  kept('a wildcard for an alias', (d) => d.at(d.path(`${d.account.slug}/%3e`)), NO_SUCH),
  kept('an alias of 9 kB', (d) => d.at(d.path(`${d.account.slug}/${'a'.repeat(9_000)}`)), NO_SUCH),
  kept('an alias that is a property of every object', (d) => d.at(d.path(`${d.account.slug}/__proto__`)), NO_SUCH),
  kept('an alias in capitals', (d) => d.at(d.path(`${d.account.slug}/DEMO-7B`)), NO_SUCH),
];

const SHAPE_ROWS: Row[] = [
  kept('an escape that is no hex', (d) => d.at(d.path(`${d.slug}%zz`)), BAD_PATH),
  kept('an escape that is cut', (d) => d.at(d.path(`${d.slug}%4`)), BAD_PATH),
  kept('an escape that is no UTF-8', (d) => d.at(d.path(`${d.slug}%ff`)), BAD_PATH),
  kept('an overlong escape', (d) => d.at(d.path(`${d.slug}%c0%af`)), BAD_PATH),
  kept('an empty part first', (d) => d.at(`/${served(d)}`), NO_SUCH),
  kept('an empty part inside', (d) => d.at(served(d).replace('/v1/', '/v1//')), NOWHERE),
  kept('dots', (d) => d.at(`/x/..${served(d)}`), NOWHERE),
  anywhere(kept('a back-slash', (d) => d.at(served(d).replace('/v1/', '\\v1\\')), NOWHERE)),
  anywhere(kept('capitals', (d) => d.at(served(d).toUpperCase()), NOWHERE)),
  kept('capitals after the slug', (d) => d.at(served(d).replace('/v1/', '/V1/')), NOWHERE),
  kept('a slash at the end', (d) => d.at(`${served(d)}/`), NOWHERE),
  anywhere(kept('a path parameter', (d) => d.at(`${served(d)};x=1`), NOWHERE)),
  kept('/v2', (d) => d.at(served(d).replace('/v1/', '/v2/')), NOWHERE),
  anywhere(kept('an endpoint that does not exist', (d) => d.at(`/${d.slug}/v1/completions`), NOWHERE)),
  anywhere(kept('nothing', (d) => d.at('/'), NOWHERE)),
  anywhere(kept('the metrics', (d) => rawRequest('/metrics', d.headers(), '', 'GET'), NOWHERE)),
];

const MODEL_ROWS: Row[] = [
  ...[undefined, 7, '', null, {}, ['x']].map((model): Row =>
    kept(
      `model ${JSON.stringify(model) ?? 'missing'}`,
      (d) => rawRequest(d.path(), d.headers(), JSON.stringify({ ...(JSON.parse(d.body()) as object), model })),
      [400, 'missing_required_parameter'],
    ),
  ),
  ...['gpt-4', 'deployment-99999', 'acme/none', 'stranger/theirs'].map((model): Row =>
    kept(`model ${model}`, (d) => rawRequest(d.path(), d.headers(), d.body({}, model)), [400, 'model_mismatch']),
  ),
];

/** Paths, names and models, good and bad, at the door of one contract. */
export const describePaths = (contract: PublicContract): void =>
  void describe(`paths at the ${contract.name} door`, () => {
    let door: Door;

    beforeAll(async () => {
      door = await Door.open({ contract });
    });
    afterAll(() => door?.end());
    afterEach(() => door.reset());

    it.each(rowsAt(contract, [...NAME_ROWS, ...SHAPE_ROWS, ...MODEL_ROWS]))('$sends: $refusal, and the connection is $connection', (row) =>
      expectRow(door, row),
    );

    it('missing and foreign deployments get one response', async () => {
      const seen = new Set<string>();
      for (const name of [
        'deployment-99999',
        door.slugOf('foreign'),
        'stranger/theirs',
        'stranger/none',
        'nobody/x',
        `${door.account.slug}/x`,
      ]) {
        const { answers } = await door.converse(door.at(door.path(name)));
        seen.add(withoutIds(answers[0]!));
      }
      expect([...seen]).toHaveLength(1);
    });

    it.each<[string, (d: Door) => string, (d: Door) => string]>([
      ['its slug', (d) => d.slug, (d) => d.slug],
      ['its slug, by an alias as the model', (d) => d.slug, () => 'demo-7b'],
      ['its alias', () => 'acme/demo-7b', () => 'demo-7b'],
      ['its alias, with the account in the model', () => 'acme/demo-7b', () => 'acme/demo-7b'],
      ['its alias, by the slug as the model', () => 'acme/demo-7b', (d) => d.slug],
      ['its slug, with an escape', (d) => d.slug.replace('d', '%64'), (d) => d.slug],
      ['its slug, with a query', (d) => d.slug, (d) => d.slug],
    ])('a deployment is found by %s', async (what, name, model) => {
      const query = what.endsWith('query') ? '?beta=true' : '';
      const { answers } = await door.converse(rawRequest(`${door.path(name(door))}${query}`, door.headers(), door.body({}, model(door))));
      expect(answers[0]?.status).toBe(200);
    });

    it('a resumed deployment serves, a deleted one is missing', async () => {
      const deployment = door.rig.deployment(door.account.id, { desired: 'stopped', state: 'stopped' });
      await door.rig.runner({ dep: deployment.id });
      const slug = `deployment-${deployment.id}`;
      const request = rawRequest(door.path(slug), door.headers(), door.body({}, slug));
      const answers = (status: number): Promise<void> =>
        until(`it answers ${status}`, async () => (await door.converse(request)).answers[0]?.status === status, 30_000);
      await answers(contract.statusOf({ status: 409, code: 'deployment_stopped' }));
      door.rig.deployments.put(`deployment:${deployment.id}`, { ...deployment, desired: 'ready', state: 'ready' });
      await answers(200);
      door.rig.deployments.remove(`deployment:${deployment.id}`);
      await answers(404);
    });
  });
