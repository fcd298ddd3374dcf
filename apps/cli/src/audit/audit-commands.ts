import { type AuditEntry, ListAudit, ListDeploymentAudit } from '@slipway/contracts';
import { z } from 'zod';
import { findAccount } from '../accounts/find-account.js';
import { ACCOUNT_OPTION, type Command, type Group } from '../command.js';
import { OPERATOR } from '../session/operator.js';
import { tableOr } from '../table.js';

const who = ({ actor, actor_id: id, actor_name: name }: AuditEntry): string => name ?? (id === null ? actor : `${actor} ${id}`);
const what = ({ object, object_name: name }: AuditEntry): string => (name === null ? object : `${object} (${name})`);
const where = ({ address, client }: AuditEntry): string => [address, client].filter((text) => text !== null).join(' ');
const details = ({ facts }: AuditEntry): string =>
  Object.entries(facts)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');

const list: Command = {
  name: 'list',
  summary: 'Lists what was done in an account, newest first: at most 200 entries.',
  words: [],
  options: {
    deployments: { about: 'of deployments and aliases, instead of people, sign-ins and keys' },
    before: { value: 'N', about: 'only entries with lower numbers' },
    ...ACCOUNT_OPTION,
  },
  plan(call) {
    const before = call.options.whole('before', z.int().positive());
    return async (session) => {
      const account = await findAccount(session);
      const wanted = { account: account.id, ...(before !== undefined && { before }) };
      const page = call.options.flag('deployments')
        ? await session.call(ListDeploymentAudit, wanted)
        : await session.call(ListAudit, { ...wanted, actor: OPERATOR });
      const rows = page.entries.map((entry) => [entry.id, entry.at, who(entry), entry.action, what(entry), where(entry), details(entry)]);
      const text = tableOr('Nothing was done.', ['ID', 'AT', 'WHO', 'ACTION', 'WHAT', 'FROM', 'DETAILS'], rows);
      const more = page.next === null ? undefined : `There are older entries: --before ${page.next} lists them.`;
      return { json: { account: account.slug, ...page }, text, note: more };
    };
  },
};

export const audit: Group = { name: 'audit', summary: 'Reads the audit log of an account.', commands: [list] };
