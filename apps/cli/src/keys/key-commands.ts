import {
  CreateKey,
  type DeploymentId,
  deploymentSlug,
  KeyName,
  type KeyView,
  RenameKey,
  RevokeKey,
  RotateKey,
  SetKeyDeployments,
  SetKeyExpiry,
  SetKeyLimits,
} from '@slipway/contracts';
import { allDeployments } from '@slipway/platform';
import { Option } from 'commander';
import { findAccount } from '../accounts/find-account.js';
import { UsageError } from '../cli-errors.js';
import { ACCOUNT, type Call, command, group } from '../command.js';
import { deploymentReference, pickDeployment } from '../deployments/deployment-name.js';
import type { Account, Session } from '../session/session.js';
import { tableOr } from '../table.js';
import { keyExpiry } from '../times.js';
import { checkedBy, NEVER, nullable } from '../values.js';
import { allKeys, findKey, KEY } from './find-key.js';
import { changedLimits, LIMIT_OPTIONS, limitChanges, limitText, type LimitValues } from './limit-options.js';
import { mcp } from './mcp-key-commands.js';
import { delayNote, propagationText } from './propagation.js';
import { shown } from './shown-key.js';

const keyName = checkedBy(KeyName);
const EXPIRES = new Option('--expires <TIME>', 'when it expires: 2026-01-31T00:00:00Z, 12h, 30d or never').argParser((text) =>
  keyExpiry(text),
);

type FindDeployments = (session: Session, account: Account) => Promise<DeploymentId[] | null>;

/**
 * Reads a list of deployments, or `all`, which is null.
 * @returns what finds them in an account
 * @throws UsageError
 */
function allowedDeployments(text: string): FindDeployments {
  if (text === 'all') return () => Promise.resolve(null);
  const references = text.split(',').map((word) => deploymentReference(word.trim()));
  return async (session, account) => {
    const { deployments } = await allDeployments(session, account.id);
    const ids = references.map((reference) => {
      if (reference.account !== null && reference.account !== account.slug) {
        throw new UsageError(`"${reference.account}/${reference.name}" is not of account ${account.slug}, whose key this is.`);
      }
      return pickDeployment(deployments, reference, account.slug).id;
    });
    return [...new Set(ids)];
  };
}

const create = command('create', 'Makes a key for the deployments of an account, and shows it this once.')
  .argument('<NAME>', 'what it is for', keyName)
  .takes(EXPIRES)
  .option('--only <NAMES>', 'the only deployments that it may call, with commas between them (default: all)', allowedDeployments)
  .takes(...LIMIT_OPTIONS, ACCOUNT)
  .examples('keys create "my laptop"', 'keys create ci --expires 30d --requests-per-minute 60 --only demo,deployment-7')
  .plans(({ options }: Call<LimitValues & { expires?: string; only?: FindDeployments }>, name: string) => {
    const limits = changedLimits({}, limitChanges(options));
    return async (session) => {
      const account = await findAccount(session);
      const allowed = (await options.only?.(session, account)) ?? null;
      const key = await session.call(CreateKey, {
        account: account.id,
        ...{ name, limits, deployments: allowed },
        ...(options.expires !== undefined && options.expires !== NEVER && { expires_at: options.expires }),
      });
      return shown(`Key ${key.id} (${name}) of account ${account.slug}:`, { ...key, name, account: account.slug }, delayNote(key));
    };
  });

const creator = ({ created_by: by }: KeyView): string | undefined => by?.name ?? by?.actor;

const list = command('list', 'Lists the keys of an account, newest first, without their values.')
  .takes(ACCOUNT)
  .plans(() => async (session) => {
    const account = await findAccount(session);
    const keys = await allKeys(session, account.id);
    const rows = keys.map((key) => [
      ...[key.id, key.name, `${key.hint}…`, key.state, key.created_at, creator(key)],
      ...[key.rotated_at, key.last_used_at, key.expires_at],
    ]);
    const titles = ['ID', 'NAME', 'KEY', 'STATE', 'CREATED', 'BY', 'ROTATED', 'LAST USED', 'EXPIRES'];
    return { json: { account: account.slug, keys }, text: tableOr(`No keys in account ${account.slug}.`, titles, rows) };
  });

const setExpiry = command('set-expiry', 'Sets when a key expires; its value stays.', 'An expired key gets a new value by rotate.')
  .addArgument(KEY)
  .argument('<TIME>', 'when it expires: 2026-01-31T00:00:00Z, 12h, 30d or never', (text: string) => keyExpiry(text))
  .takes(ACCOUNT)
  .examples('keys set-expiry "nightly job" 90d', 'keys set-expiry 12 never')
  .plans((_, text: string, expires: string) => async (session) => {
    const account = await findAccount(session);
    const key = await findKey(session, account, text);
    const reply = await session.call(SetKeyExpiry, { account: account.id, key: key.id, expires_at: nullable(expires) });
    const when = reply.expires_at === null ? 'never expires' : `expires at ${reply.expires_at}`;
    return { json: reply, text: `Key ${key.id} (${key.name}) ${when}. ${propagationText(reply)}` };
  });

const rename = command('rename', 'Gives a key another name.')
  .addArgument(KEY)
  .argument('<NAME>', 'the new name', keyName)
  .takes(ACCOUNT)
  .plans((_, text: string, name: string) => async (session) => {
    const account = await findAccount(session);
    const { id } = await findKey(session, account, text);
    const key = await session.call(RenameKey, { account: account.id, key: id, name });
    return { json: key, text: `Key ${key.id} is named ${key.name}.` };
  });

const rotate = command('rotate', 'Gives a key a new value and shows it this once; the old value stops working at once.')
  .addArgument(KEY)
  .takes(EXPIRES, ACCOUNT)
  .plans(({ options: { expires } }: Call<{ expires?: string }>, text: string) => async (session) => {
    const account = await findAccount(session);
    const { id, name } = await findKey(session, account, text);
    const key = await session.call(RotateKey, {
      account: account.id,
      key: id,
      ...(expires !== undefined && { expires_at: nullable(expires) }),
    });
    const title = `New value of key ${id} (${name}) of account ${account.slug}:`;
    return shown(title, { ...key, name, account: account.slug }, propagationText(key));
  });

const revoke = command('revoke', 'Ends a key for good.')
  .addArgument(KEY)
  .takes(ACCOUNT)
  .plans((_, text: string) => async (session) => {
    const account = await findAccount(session);
    const { id, name } = await findKey(session, account, text);
    const reply = await session.call(RevokeKey, { account: account.id, key: id });
    return { json: { ...reply, name }, text: `Key ${id} (${name}) is revoked. ${propagationText(reply)}` };
  });

const limits = command(
  'limits',
  'Shows the limits of a key, or changes them.',
  'Each option takes a number or none; limits that are not named stay as they are.',
)
  .addArgument(KEY)
  .takes(...LIMIT_OPTIONS, ACCOUNT)
  .plans(({ options }: Call<LimitValues>, text: string) => {
    const changes = limitChanges(options);
    return async (session) => {
      const account = await findAccount(session);
      const key = await findKey(session, account, text);
      const name = `Key ${key.id} (${key.name})`;
      const old = key.limits ?? {};
      if (Object.keys(changes).length === 0) return { json: { id: key.id, limits: old }, text: `${name} has ${limitText(old)}.` };
      const reply = await session.call(SetKeyLimits, { account: account.id, key: key.id, limits: changedLimits(old, changes) });
      return { json: reply, text: `${name} has ${limitText(reply.limits)}. ${propagationText(reply)}` };
    };
  });

/** A set of deployments in words. */
const allowedText = (deployments: readonly DeploymentId[] | null | undefined): string =>
  deployments ? deployments.map(deploymentSlug).join(', ') : 'all deployments of its account';

const deployments = command('deployments', 'Sets which deployments a key may call.')
  .addArgument(KEY)
  .argument('<DEPLOYMENTS>', 'slugs, numbers or aliases, with commas between them; or all', allowedDeployments)
  .takes(ACCOUNT)
  .plans((_, text: string, find: FindDeployments) => async (session) => {
    const account = await findAccount(session);
    const key = await findKey(session, account, text);
    const wanted = await find(session, account);
    const reply = await session.call(SetKeyDeployments, { account: account.id, key: key.id, deployments: wanted });
    return { json: reply, text: `Key ${key.id} (${key.name}) may call ${allowedText(reply.deployments)}. ${propagationText(reply)}` };
  });

export const keys = group('keys', 'Makes, lists, limits, renames, rotates and revokes API keys.', [
  ...[create, list, rename, setExpiry, rotate, revoke, limits, deployments, mcp],
]);
