import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { session } from '../session/session.js';
import { NO_ANSWER } from './conversation.js';
import { begin } from './exchange.js';
import { FIRST_SETTINGS } from './settings.js';
import { type Turn, type Workspace, workspaceOf } from './workspace.js';

const expires_at = '2999-01-01T00:00:00Z';
const signIn = (): void => session.begin({ access_token: 'token', expires_at, user: 7, account: { id: 1, slug: 'acme', role: 'owner' } });

/** What a browser keeps of a tab, with room for so many characters. */
function storage(room = Number.POSITIVE_INFINITY): Record<string, string> {
  const kept: Record<string, string> = {};
  Object.defineProperties(kept, {
    getItem: { value: (key: string) => kept[key] ?? null },
    setItem: {
      value: (key: string, value: string) => {
        if (value.length > room) throw new DOMException('Full', 'QuotaExceededError');
        kept[key] = value;
      },
    },
    removeItem: { value: (key: string) => Reflect.deleteProperty(kept, key) },
  });
  vi.stubGlobal('sessionStorage', kept);
  return kept;
}

const exchange = { ...begin({ contract: 'chat', body: {} }), raw: 'x'.repeat(1_000), answer: { ...NO_ANSWER, text: 'Hel' } };
const turn = (id: number): Turn => ({
  id,
  ask: { model: 'deployment-1', wishes: {}, past: [], question: { text: 'Hi', results: [] } },
  exchange,
});

/** The same place after the page was loaded again. */
async function reloaded(): Promise<Workspace> {
  vi.resetModules();
  const { workspaceOf: again } = await import('./workspace.js');
  return again(7, 'acme');
}

beforeEach(() => {
  storage();
  signIn();
});
afterEach(() => {
  session.forget(false);
  vi.unstubAllGlobals();
});

describe('the playground of a tab', () => {
  it('survives a reload, and an answer that ran was stopped', async () => {
    const workspace = workspaceOf(7, 'acme');
    workspace.change({ settings: { ...FIRST_SETTINGS, temperature: 0.4 }, look: 'plain' });
    workspace.changeLane(0, () => [turn(1)]);
    workspace.keepDraft('And then');
    workspace.save();
    const { state, draft } = await reloaded();
    expect([state.settings.temperature, state.look, draft]).toEqual([0.4, 'plain', 'And then']);
    expect(state.lanes[0]).toMatchObject([{ id: 1, exchange: { status: 'stopped', answer: { text: 'Hel' } } }]);
  });

  it('is kept without raw bytes where they have no room', async () => {
    storage(1_500);
    const workspace = workspaceOf(7, 'acme');
    workspace.changeLane(0, () => [turn(1)]);
    workspace.save();
    expect((await reloaded()).state.lanes[0]).toMatchObject([{ exchange: { raw: '', answer: { text: 'Hel' } } }]);
  });

  it('brings a conversation back before the one begun since', () => {
    const workspace = workspaceOf(7, 'acme');
    workspace.changeLane(0, () => [turn(workspace.nextId())]);
    const undo = workspace.beginAnew();
    expect(workspace.state.lanes).toEqual([[], []]);
    workspace.changeLane(0, () => [turn(workspace.nextId())]);
    undo();
    expect(workspace.state.lanes[0].map(({ id }) => id)).toEqual([1, 2]);
  });

  it('is gone after a sign-out, also what is written late', () => {
    const kept = storage();
    const workspace = workspaceOf(7, 'acme');
    workspace.changeLane(0, () => [turn(1)]);
    session.forget(false);
    workspace.changeLane(0, () => [turn(2)]);
    workspace.save();
    expect(Object.keys(kept)).toEqual([]);
  });

  it('stays for the person whose session ended by itself', () => {
    workspaceOf(7, 'acme').changeLane(0, () => [turn(1)]);
    session.forget(true);
    signIn();
    expect(workspaceOf(7, 'acme').state.lanes[0]).toHaveLength(1);
    expect(workspaceOf(8, 'acme').state.lanes[0]).toHaveLength(0);
  });
});
