import { downloadOf, type ModelSource } from '@slipway/contracts';
import type { SecretVault } from '@slipway/platform';

/** Seals engine credentials for storage. A sealed credential opens for the account that it was sealed for. */
export class CredentialVault {
  constructor(private readonly vault: SecretVault) {}

  seal(credential: string, account: number): string {
    return this.vault.seal(credential, boundTo(account));
  }

  /** @throws UnreadableSecretError when the text was changed, or sealed with another key or for another account */
  open(sealedText: string, account: number): string {
    return this.vault.open(sealedText, boundTo(account));
  }
}

const boundTo = (account: number): string => `account:${account}`;

/** Groups: address, query. */
const QUERIED = /^(https?:\/\/[^?#]*)(\?[^#]*)/i;

/**
 * Splits a source into a public part and a secret: the query of a download address with its question mark, where signed
 * addresses carry their tokens. The secret is null when there is no query.
 */
export function withoutSecret(source: ModelSource): { readonly source: ModelSource; readonly secret: string | null } {
  const [, address, query] = QUERIED.exec(downloadOf(source) ?? '') ?? [];
  if (address === undefined || query === undefined) return { source, secret: null };
  return { source: { ...source, uri: address } as ModelSource, secret: query };
}

/** The source without a query, as members of the account may see it. Sources stored before queries were sealed have one. */
export const publicSource = (source: ModelSource): ModelSource => withoutSecret(source).source;
