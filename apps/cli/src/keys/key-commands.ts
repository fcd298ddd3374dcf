import { CreateKey, KeyName, type KeyView, RenameKey, RevokeKey, RotateKey } from '@slipway/contracts';
import { findAccount } from '../accounts/find-account.js';
import { ACCOUNT_OPTION, type Command, type Group } from '../command.js';
import { changedLimits, LIMIT_OPTIONS, limitChanges } from '../limits/limit-options.js';
import { checked } from '../option-values.js';
import { tableOr } from '../table.js';
import { allowedDeployments } from './allowed-deployments.js';
import { allKeys, findKey, keyName } from './find-key.js';
import { deployments, limits } from './key-limit-commands.js';
import { keyExpiry } from './key-expiry.js';
import { mcp } from './mcp-key-commands.js';
import { notEverywhere, obeyed, shown } from './shown-key.js';

const KEY = { name: 'KEY', about: 'its id, its name if only one has it, or its hint (svc_dep_Ab12)' };
const ONLY = { value: 'NAMES', about: 'the only deployments that it may call, with commas between them (all)' };
const EXPIRES = { value: 'TIME', about: 'when it ends: 2026-01-31T00:00:00Z, 12h, 30d or never' };

const create: Command = {
  name: 'create',
  summary: 'Makes a key that opens the deployments of an account, and shows it this once.',
  words: [{ name: 'NAME', about: 'what it is for' }],
  options: { expires: EXPIRES, only: ONLY, ...LIMIT_OPTIONS, ...ACCOUNT_OPTION },
  plan(call) {
    const name = checked(KeyName, call.word('NAME'));
    const expires = call.options.text('expires');
    const expiry = expires === undefined ? null : keyExpiry(expires, Date.now());
    const limited = changedLimits({}, limitChanges(call.options));
    const allowed = allowedDeployments(call.options.text('only') ?? 'all');
    return async (session) => {
      const account = await findAccount(session);
      const wish = { name, limits: limited, deployments: await allowed(session, account) };
      const key = await session.call(CreateKey, { account: account.id, ...wish, ...(expiry !== null && { expires_at: expiry }) });
      return shown(`Key ${key.id} (${name}) of account ${account.slug}:`, { ...key, name, account: account.slug }, notEverywhere(key));
    };
  },
};

const creator = ({ created_by: by }: KeyView): string | undefined => by?.name ?? by?.actor;

const list: Command = {
  name: 'list',
  summary: 'Lists the keys of an account, newest first, without their values.',
  words: [],
  options: ACCOUNT_OPTION,
  plan: () => async (session) => {
    const account = await findAccount(session);
    const keys = await allKeys(session, account.id);
    const rows = keys.map((key) => [
      key.id,
      key.name,
      `${key.hint}…`,
      key.state,
      key.created_at,
      creator(key),
      key.rotated_at,
      key.last_used_at,
      key.expires_at,
    ]);
    const titles = ['ID', 'NAME', 'KEY', 'STATE', 'CREATED', 'BY', 'ROTATED', 'LAST USED', 'EXPIRES'];
    return { json: { account: account.slug, keys }, text: tableOr(`No keys in account ${account.slug}.`, titles, rows) };
  },
};

const rename: Command = {
  name: 'rename',
  summary: 'Gives a key another name.',
  words: [KEY, { name: 'NAME', about: 'the new name' }],
  options: ACCOUNT_OPTION,
  plan(call) {
    const text = keyName(call.word('KEY'));
    const name = checked(KeyName, call.word('NAME'));
    return async (session) => {
      const account = await findAccount(session);
      const { id } = await findKey(session, account, text);
      const key = await session.call(RenameKey, { account: account.id, key: id, name });
      return { json: key, text: `Key ${key.id} is named ${key.name}.` };
    };
  },
};

const rotate: Command = {
  name: 'rotate',
  summary: 'Gives a key a new value and shows it this once; the old value stops working at once.',
  words: [KEY],
  options: { expires: EXPIRES, ...ACCOUNT_OPTION },
  plan(call) {
    const text = keyName(call.word('KEY'));
    const expires = call.options.text('expires');
    const change = expires === undefined ? {} : { expires_at: keyExpiry(expires, Date.now()) };
    return async (session) => {
      const account = await findAccount(session);
      const { id, name } = await findKey(session, account, text);
      const key = await session.call(RotateKey, { account: account.id, key: id, ...change });
      return shown(`New value of key ${id} (${name}) of account ${account.slug}:`, { ...key, name, account: account.slug }, obeyed(key));
    };
  },
};

const revoke: Command = {
  name: 'revoke',
  summary: 'Ends a key for ever.',
  words: [KEY],
  options: ACCOUNT_OPTION,
  plan(call) {
    const text = keyName(call.word('KEY'));
    return async (session) => {
      const account = await findAccount(session);
      const { id, name } = await findKey(session, account, text);
      const reply = await session.call(RevokeKey, { account: account.id, key: id });
      return { json: { ...reply, name }, text: `Key ${id} (${name}) is revoked. ${obeyed(reply)}` };
    };
  },
};

export const keys: Group = {
  name: 'keys',
  summary: 'Makes, lists, limits, renames, rotates and revokes API keys.',
  commands: [create, list, rename, rotate, revoke, limits, deployments, mcp],
};
