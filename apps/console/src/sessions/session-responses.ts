import { Injectable } from '@nestjs/common';
import { type Actor, BrowserToken, type Origin, type SessionTokens } from '@slipway/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { BrowserCookie, RefreshCookie } from '../http/console-cookie.js';
import { originOf } from '../http/client-address.js';
import { HttpSettings } from '../http/http.module.js';
import type { SignedIn } from './access-tokens.js';

/** The part of a session that a page gets. The refresh token goes into the cookie. */
export interface SessionResponse {
  readonly access_token: string;
  readonly expires_at: string;
  readonly user: number;
  readonly account: { readonly id: number; readonly slug: string; readonly role: string };
}

/** Life of the browser cookie, in seconds. */
const BROWSER_S = 180 * 86_400;

/** Writes sessions to responses and reads their cookies from requests. */
@Injectable()
export class SessionResponses {
  constructor(
    private readonly settings: HttpSettings,
    private readonly cookie: RefreshCookie,
    private readonly browser: BrowserCookie,
  ) {}

  /** Sets the cookies of a session and returns the body of the response. */
  start(reply: FastifyReply, tokens: SessionTokens): SessionResponse {
    const maxAgeS = (Date.parse(tokens.refresh_expires_at) - Date.now()) / 1_000;
    void reply.header('set-cookie', this.cookie.write(tokens.refresh_token, maxAgeS));
    if (tokens.browser_token !== undefined) void reply.header('set-cookie', this.browser.write(tokens.browser_token, BROWSER_S));
    const { access_token, access_expires_at: expires_at, user, account: id, slug, role } = tokens;
    return { access_token, expires_at, user, account: { id, slug, role } };
  }

  /** Removes the session cookie. */
  end(reply: FastifyReply): void {
    void reply.header('set-cookie', this.cookie.clear());
  }

  /** The refresh token of a request; null for none. */
  refreshTokenOf(request: FastifyRequest): string | null {
    return this.cookie.read(request.headers);
  }

  /** The browser token of an earlier sign-in. */
  browserOf(request: FastifyRequest): { browser?: string } {
    const { data: browser } = BrowserToken.safeParse(this.browser.read(request.headers));
    return browser === undefined ? {} : { browser };
  }

  /** Address and user agent of a request. */
  originOf(request: FastifyRequest): Origin {
    return originOf(request.raw, this.settings.proxies);
  }

  /** A signed-in person as actor for the audit log. */
  actorOf(request: FastifyRequest, { user }: SignedIn): Actor {
    return { kind: 'user', user, ...this.originOf(request) };
  }
}
