import { Injectable } from '@nestjs/common';
import { type Actor, BrowserToken, type Origin, type SessionTokens } from '@slipway/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { BrowserCookie, RefreshCookie } from '../http/console-cookie.js';
import { originOf } from '../http/client-address.js';
import { HttpSettings } from '../http/http-settings.js';
import type { SignedIn } from './access-tokens.js';

/** What a page gets of a session: the short-lived token for its memory. The other one goes into the cookie. */
export interface SessionAnswer {
  readonly access_token: string;
  readonly expires_at: string;
  readonly user: number;
  readonly account: { readonly id: number; readonly slug: string; readonly role: string };
}

/** How long a browser is remembered after a sign-in, in seconds. */
const BROWSER_S = 180 * 86_400;

/** Carries sessions between the exchanges with keys-service and browsers. */
@Injectable()
export class SessionAnswers {
  constructor(
    private readonly settings: HttpSettings,
    private readonly cookie: RefreshCookie,
    private readonly browser: BrowserCookie,
  ) {}

  /** Sets the cookie and returns the rest. */
  give(reply: FastifyReply, tokens: SessionTokens): SessionAnswer {
    const maxAgeS = (Date.parse(tokens.refresh_expires_at) - Date.now()) / 1_000;
    void reply.header('set-cookie', this.cookie.write(tokens.refresh_token, maxAgeS));
    if (tokens.browser_token !== undefined) void reply.header('set-cookie', this.browser.write(tokens.browser_token, BROWSER_S));
    const { access_token, access_expires_at: expires_at, user, account: id, slug, role } = tokens;
    return { access_token, expires_at, user, account: { id, slug, role } };
  }

  /** Takes the cookie away. */
  take(reply: FastifyReply): void {
    void reply.header('set-cookie', this.cookie.clear());
  }

  /** The refresh token that a request brings. */
  refreshTokenOf(request: FastifyRequest): string | null {
    return this.cookie.read(request.headers);
  }

  /** What an earlier sign-in gave this browser. */
  browserOf(request: FastifyRequest): { browser?: string } {
    const { data: browser } = BrowserToken.safeParse(this.browser.read(request.headers));
    return browser === undefined ? {} : { browser };
  }

  originOf(request: FastifyRequest): Origin {
    return originOf(request.raw, this.settings.proxies);
  }

  /** A signed-in person as the audit log names them. */
  actorOf(request: FastifyRequest, { user }: SignedIn): Actor {
    return { kind: 'user', user, ...this.originOf(request) };
  }
}
