import { expect, it } from 'vitest';
import { HASHING, PASSWORD_COST } from './identity/password-hasher.js';
import { keysService } from './keys-service.js';

it('the service hashes passwords at their full cost', () => {
  expect(keysService.providers).toContainEqual({ provide: HASHING, useValue: PASSWORD_COST });
});
