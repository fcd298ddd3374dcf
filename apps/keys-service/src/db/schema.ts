import { AccountEntity } from '../accounts/account.entity.js';
import { KeyEntity } from '../keys/key.entity.js';
import { AccountsAndKeys1761000000000 } from './migrations/1761000000000-accounts-and-keys.js';

/** What the service's database holds, and how it came to hold it. */
export const schema = { entities: [AccountEntity, KeyEntity], migrations: [AccountsAndKeys1761000000000] };
