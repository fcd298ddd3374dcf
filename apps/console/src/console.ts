import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { type LifecycleState, type Logger, type NatsConnection, RpcClient } from '@slipway/platform';
import { FollowedProofs } from '@slipway/proof';
import { AppModule } from './app.module.js';
import type { ConsoleConfig } from './config.js';
import { DashboardFiles } from './dashboard/dashboard-files.js';
import { BrowserCookie, ProviderCookie, RefreshCookie } from './http/console-cookie.js';
import { createHttpApplication } from './http/http-application.js';
import { HttpSettings } from './http/http-settings.js';
import { OwnOrigin } from './http/own-origin.js';
import { RequestBounds } from './http/request-bounds.js';
import { McpDoor } from './mcp/mcp-door.js';
import { IdentityProvider } from './oidc/identity-provider.js';
import type { OidcSettings } from './oidc/oidc-settings.js';
import { OidcSignIn } from './oidc/oidc-sign-in.js';
import { GatewayClient } from './playground/gateway-client.js';
import { PlaygroundDoor } from './playground/playground-door.js';
import { SessionKeys } from './playground/session-keys.js';
import { AccessTokens } from './sessions/access-tokens.js';
import { AttemptLimiter } from './sessions/attempt-limiter.js';

const { version: VERSION } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string };
/** Both apps lie side by side, in the repository and in the image. */
const BUILT_DASHBOARD = fileURLToPath(new URL('../../dashboard/dist', import.meta.url));

export interface ConsoleOptions {
  readonly config: ConsoleConfig;
  readonly log: Logger;
  /** Whether the connection is up, and the connection. */
  readonly link: { readonly up: boolean; readonly nats: NatsConnection };
  readonly state: () => LifecycleState;
}

function oidcSettingsOf(config: ConsoleConfig): OidcSettings | null {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } = config;
  if (issuer === undefined || clientId === undefined) return null;
  return { issuer, clientId, clientSecret, scopes: config.OIDC_SCOPES, name: config.OIDC_NAME };
}

/** Half of all connections, so that one address leaves room for others. Proxies in front are one address for everybody. */
const sharePerAddress = ({ CONSOLE_CONNECTIONS_MAX: max, CONSOLE_PROXIES: proxies }: ConsoleConfig): number =>
  proxies > 0 ? max : Math.ceil(max / 2);

/** The console from the session feed to its HTTP door: everything but the process around it. */
export class Console {
  #proofs: FollowedProofs | undefined;
  #app: NestFastifyApplication | undefined;
  #mcp: McpDoor | undefined;

  constructor(private readonly options: ConsoleOptions) {}

  /** Why the console should get no requests, or null. */
  notReady(): string | null {
    const { state, link } = this.options;
    if (state() !== 'ready') return state();
    if (!link.up) return 'not connected to NATS';
    return this.#proofs?.known === true ? null : 'ended sessions are not known';
  }

  /** Begins to follow which sessions end. */
  follow(): void {
    const { config, log, link } = this.options;
    this.#proofs = new FollowedProofs({ nats: link.nats, env: config.SLIPWAY_ENV, log });
    this.#proofs.start();
  }

  async unfollow(): Promise<void> {
    await this.#proofs?.stop();
  }

  /** @throws Error when the port is taken */
  async listen(): Promise<void> {
    const { config, log } = this.options;
    const { CONSOLE_HOST: host, CONSOLE_PORT: port } = config;
    this.#app = await this.#application();
    await this.#app.listen({ host, port });
    const { port: taken } = this.#app.getHttpServer().address() as { port: number };
    log.info({ host, port: taken }, 'console.listening');
  }

  /** Answers what was begun, for `deadlineMs` at most, and takes no more. */
  async drain(deadlineMs: number): Promise<void> {
    await this.#mcp?.close();
    const server = this.#app?.getHttpServer();
    const force = setTimeout(() => server?.closeAllConnections(), deadlineMs);
    await this.#app?.close();
    clearTimeout(force);
  }

  async #application(): Promise<NestFastifyApplication> {
    const { config, log, link } = this.options;
    const { SLIPWAY_ENV: env, CONSOLE_HOST: host, CONSOLE_PORT: port, CONSOLE_BASE_URL: baseUrl, CONSOLE_COOKIES: cookies } = config;
    const rpc = new RpcClient(link.nats, env);
    const own = new OwnOrigin({ baseUrl, host, port });
    const oidc = oidcSettingsOf(config);
    const settings = new HttpSettings(own, log, config.CONSOLE_PROXIES, () => this.notReady(), config.SECURITY_CONTACT);
    if (!this.#proofs) throw new Error('The console listens before it follows which sessions end.');
    const tokens = new AccessTokens(this.#proofs.reader);
    const module = AppModule.with({
      rpc,
      settings,
      limiter: new AttemptLimiter(config.SIGN_INS_PER_MIN),
      refreshCookie: new RefreshCookie(cookies),
      browserCookie: new BrowserCookie(cookies),
      providerCookie: new ProviderCookie(cookies),
      oidc: new OidcSignIn(oidc && new IdentityProvider(oidc), rpc, own),
      ways: { password: true, identity_provider: oidc?.name ?? null },
      addresses: { gateway_url: config.PUBLIC_BASE_URL.replace(/\/+$/, ''), environment: env },
      files: await DashboardFiles.load(config.DASHBOARD_DIR ?? BUILT_DASHBOARD),
    });
    const bounds = new RequestBounds({
      connectionsMax: config.CONSOLE_CONNECTIONS_MAX,
      connectionsPerAddress: config.CONSOLE_CONNECTIONS_PER_ADDRESS ?? sharePerAddress(config),
      bodiesBytesMax: config.CONSOLE_BODIES_BYTES_MAX,
    });
    this.#mcp = this.#mcpDoor(rpc, own, bounds);
    const gateway = new GatewayClient(config.GATEWAY_URL ?? config.PUBLIC_BASE_URL);
    const playground = new PlaygroundDoor({ keys: new SessionKeys(rpc), gateway, proxies: config.CONSOLE_PROXIES });
    return createHttpApplication(module, settings, { bounds, tokens, mcp: this.#mcp, playground });
  }

  #mcpDoor(rpc: RpcClient, own: OwnOrigin, bounds: RequestBounds): McpDoor {
    const { config, log } = this.options;
    const addresses = {
      gatewayUrl: config.PUBLIC_BASE_URL.replace(/\/+$/, ''),
      consoleUrl: own.url,
      environment: config.SLIPWAY_ENV,
    };
    return new McpDoor({ rpc, log, own, bounds, addresses, version: VERSION });
  }
}
