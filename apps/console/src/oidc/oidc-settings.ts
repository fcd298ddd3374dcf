/** The identity provider that people may sign in by. */
export interface OidcSettings {
  readonly issuer: string;
  readonly clientId: string;
  /** Absent for a public client. */
  readonly clientSecret: string | undefined;
  readonly scopes: string;
  /** What its button says. */
  readonly name: string;
}
