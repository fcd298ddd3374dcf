import { expect, it } from 'vitest';
import { innerPath } from './inner-path.js';

it.each(['https://evil.example', '//evil.example', '/\\evil.example', '\\/evil', 'javascript:alert(1)', '', '/\tx', undefined])(
  'a sign-in leads to no other site: %s',
  (wanted) => {
    expect(innerPath(wanted)).toBe('/');
  },
);

it('a sign-in leads back to where somebody wanted to go, and never to another sign-in', () => {
  expect(innerPath('/deployments/deployment-3?tab=logs')).toBe('/deployments/deployment-3?tab=logs');
  expect(innerPath('/sign-in?next=/x')).toBe('/');
});
