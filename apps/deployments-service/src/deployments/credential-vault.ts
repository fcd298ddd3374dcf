import type { SecretVault } from '@slipway/platform';

/** Seals engine credentials for storage, bound to the account that owns them. */
export class CredentialVault {
  constructor(private readonly vault: SecretVault) {}

  seal(credential: string, account: number): string {
    return this.vault.seal(credential, boundTo(account));
  }

  /** @throws UnreadableSecretError when the text was changed, or sealed with another key or for another account. */
  open(sealedText: string, account: number): string {
    return this.vault.open(sealedText, boundTo(account));
  }
}

const boundTo = (account: number): string => `account:${account}`;
