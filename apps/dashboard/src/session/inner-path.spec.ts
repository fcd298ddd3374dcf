import { expect, it } from 'vitest';
import { accountIn, innerPath, isOldPath } from './inner-path.js';

it.each(['https://evil.example', '//evil.example', '/\\evil.example', '\\/evil', 'javascript:alert(1)', '', '/\tx', undefined])(
  'a sign-in leads to no other site: %s',
  (wanted) => {
    expect(innerPath(wanted)).toBe('/');
  },
);

it('a sign-in leads back to the requested page, never to another sign-in', () => {
  expect(innerPath('/deployments/deployment-3?tab=logs')).toBe('/deployments/deployment-3?tab=logs');
  expect(innerPath('/sign-in?next=/x')).toBe('/');
});

it('a path names its account, except paths outside of accounts', () => {
  expect(accountIn('/acme/deployments/deployment-3')).toBe('acme');
  for (const path of ['/', '/sign-in', '/join', '/Acme/x', '/a', '//acme']) expect(accountIn(path), path).toBeUndefined();
  expect([isOldPath('/deployments/deployment-3'), isOldPath('/acme/deployments')]).toEqual([true, false]);
});
