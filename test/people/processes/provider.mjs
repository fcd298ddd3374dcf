// An OpenID Connect provider: node provider.mjs PORT REDIRECT_URI. The typed name is the person who signs in.
// A name that begins with "unverified-" has an unverified address.
import { Provider } from 'oidc-provider';

const [port, redirectUri] = process.argv.slice(2);
const provider = new Provider(`http://127.0.0.1:${port}`, {
  clients: [{ client_id: 'slipway', client_secret: 'provider-secret', redirect_uris: [redirectUri] }],
  claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
  pkce: { required: () => true },
  cookies: { keys: ['a key of the test'] },
  findAccount: (_context, id) => ({
    accountId: id,
    claims: () => ({
      sub: id,
      email: `${id.replace(/^(unverified|renamed)-/, '')}@example.com`,
      email_verified: !id.startsWith('unverified-'),
      name: id,
    }),
  }),
});
provider.listen(Number(port), '127.0.0.1', () => console.log('listening'));
