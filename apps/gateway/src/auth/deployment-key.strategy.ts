import type { IncomingMessage } from 'node:http';
import passport from 'passport';
import { type Credential, readCredential } from './credential.js';
import type { Caller } from './caller.js';

/** Passport strategy for a deployment key in one header; the other header's strategy reads the same credential. */
export class DeploymentKeyStrategy extends passport.Strategy {
  override name: Credential['header'];

  constructor(
    header: Credential['header'],
    private readonly verify: (key: string) => Caller,
  ) {
    super();
    this.name = header;
  }

  override authenticate(request: IncomingMessage): void {
    let caller: Caller;
    try {
      const credential = readCredential(request.rawHeaders);
      if (credential?.header !== this.name) return this.fail();
      caller = this.verify(credential.text);
    } catch (error) {
      return this.error(error);
    }
    return this.success(caller);
  }
}
