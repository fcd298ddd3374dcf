import { CreateKey, CreateMcpKey, ListAudit, OpenMcpKey, RenameKey, RenameUser, RevokeKey } from '@slipway/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { as, OPS, PeopleWorld, type Resident } from './people-world.js';

describe('the audit log of an account, filtered', () => {
  let world: PeopleWorld;
  let owner: Resident;
  let member: Resident;
  beforeAll(async () => {
    world = await PeopleWorld.start();
    owner = await world.owner();
    member = await world.member(owner, 'member');
  });
  afterAll(() => world?.end());

  type Filters = Omit<Parameters<typeof world.ask<typeof ListAudit>>[1], 'account' | 'actor'>;
  const log = async (filters: Filters) =>
    (await world.ask(ListAudit, { account: owner.account, actor: as(owner.user), ...filters })).entries;
  const actions = async (filters: Filters) => (await log(filters)).map(({ action }) => action);

  it('is that of one object, action or actor', async () => {
    const { account } = owner;
    const [first, second] = [
      await world.ask(CreateKey, { account, name: 'first', actor: as(owner.user) }),
      await world.ask(CreateKey, { account, name: 'second', actor: as(member.user) }),
    ];
    await world.ask(RenameKey, { account, key: first.id, name: 'renamed', actor: as(member.user) });
    const mcp = await world.ask(CreateMcpKey, { account, actor: as(owner.user) });
    const { proof = '' } = await world.ask(OpenMcpKey, { value: mcp.value });
    await world.proving(proof).ask(RevokeKey, { account, key: first.id, actor: { kind: 'key', key: mcp.id } });
    expect(await actions({ object: `key:${first.id}` })).toEqual(['key.revoke', 'key.rename', 'key.create']);
    expect((await log({ action: 'key.create' })).map(({ object }) => object)).toEqual([`key:${second.id}`, `key:${first.id}`]);
    expect(new Set(await actions({ action: 'key' }))).toEqual(new Set(['key.create', 'key.rename', 'key.revoke']));
    expect(await actions({ by: { kind: 'key' } })).toEqual(['key.revoke']);
    expect(await actions({ by: { kind: 'user', id: member.user }, action: 'key' })).toEqual(['key.rename', 'key.create']);
    expect(await actions({ by: { kind: 'user', id: owner.user }, object: `key:${second.id}` })).toEqual([]);
    expect(await actions({ action: 'k_y' })).toEqual([]);
  });

  it('is that of an object with a colon in its name', async () => {
    const entry = `INSERT INTO audit.entry (account_id, action, actor, object) VALUES ($1, 'alias.point', 'ops', 'alias:qwen2.5:7b')`;
    await world.keys.sql(entry, [owner.account]);
    expect(await actions({ object: 'alias:qwen2.5:7b' })).toEqual(['alias.point']);
  });

  it('is that of a time', async () => {
    const all = await log({});
    const middle = all[2]!.at;
    expect(await log({ from: middle, to: middle })).toEqual([]);
    const [older, newer] = [await log({ to: middle }), await log({ from: middle })];
    expect([...newer, ...older]).toEqual(all);
    expect([newer.length > 0, older.length > 0]).toEqual([true, true]);
  });

  it('has as many matching entries on each page', async () => {
    const { account } = owner;
    await world.keys.sql(
      `INSERT INTO audit.entry (account_id, action, actor, object)
       SELECT $1, 'test.entry', 'ops', 'test:' || n % 2 FROM generate_series(1, 900) n`,
      [account],
    );
    const sizes: number[] = [];
    let before: number | null = null;
    do {
      const page: { entries: unknown[]; next: number | null } = await world.ask(ListAudit, {
        ...{ account, object: 'test:1', actor: as(owner.user) },
        ...(before !== null && { before }),
      });
      sizes.push(page.entries.length);
      before = page.next;
    } while (before !== null);
    expect(sizes).toEqual([200, 200, 50]);
  });

  it('refuses filters of another form', async () => {
    for (const wrong of [{ object: 'key' }, { object: "key:1' OR 1=1" }, { action: 'key.%' }, { action: '' }]) {
      expect(await world.code(ListAudit, { account: owner.account, actor: as(owner.user), ...wrong })).toBe('invalid_request');
    }
    expect(await world.code(ListAudit, { account: owner.account, object: 'key:1', actor: as(member.user) })).toBe('not_permitted');
  });

  it('names people as they are called now', async () => {
    await world.ask(RenameUser, { user: owner.user, name: 'Ada Lovelace', actor: as(owner.user) });
    const [entry] = await log({ action: 'user.rename' });
    expect(entry).toMatchObject({ actor_name: owner.email, actor_person: 'Ada Lovelace', facts: {} });
    await world.ask(RenameUser, { user: owner.user, name: '', actor: as(owner.user) });
    expect((await log({ action: 'user.rename' }))[1]).not.toHaveProperty('actor_person');
    expect(await world.code(RenameUser, { user: member.user, name: 'Mallory', actor: as(owner.user) })).toBe('not_permitted');
    expect(await world.code(RenameUser, { user: owner.user, name: 'A\u0000b', actor: as(owner.user) })).toBe('invalid_request');
    expect((await world.keys.ask(ListAudit, { account: owner.account, action: 'user', actor: OPS })).entries.length).toBe(2);
  });
});
