import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { accountIn, innerPath, isOldPath, takeNext } from './session/inner-path.js';
import { session } from './session/session.js';
import { AccountPlace } from './shell/account-place.js';
import { Broken, Missing } from './shell/faults.js';
import { BrokenShell, Shell } from './shell/shell.js';

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
const FAILED = /^#sign-in-failed=([a-z_]+)$/;

const root = createRootRoute({
  // What a route's own check leaves out comes through as it stands in the address; what leads on is checked for all of them.
  validateSearch: ({ next }: Record<string, unknown>): { next?: string | undefined } =>
    next === undefined ? {} : { next: innerPath(text(next)) },
  notFoundComponent: Missing,
  errorComponent: Broken,
});

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: (search: Record<string, unknown>): { next?: string | undefined; failed?: string } => {
    const failed = text(search['failed']);
    return { next: innerPath(text(search['next'])), ...(failed !== undefined && { failed }) };
  },
  component: lazyRouteComponent(() => import('./sign-in/sign-in.screen.js'), 'SignInScreen'),
});

const join = createRoute({
  getParentRoute: () => root,
  path: '/join',
  component: lazyRouteComponent(() => import('./sign-in/join.screen.js'), 'JoinScreen'),
});

const inside = createRoute({
  getParentRoute: () => root,
  id: 'inside',
  component: Shell,
  errorComponent: BrokenShell,
  beforeLoad: async ({ location }) => {
    const state = await session.resume(accountIn(location.pathname));
    if (state.kind === 'in') return;
    const failed = FAILED.exec(window.location.hash)?.[1] ?? (state.kind === 'out' && state.ended ? 'session_ended' : undefined);
    const next = innerPath(location.href);
    redirect({
      to: '/sign-in',
      search: { ...(next !== '/' && { next }), ...(failed !== undefined && { failed }) },
      replace: true,
      throw: true,
    });
  },
});

const home = createRoute({
  getParentRoute: () => inside,
  path: '/',
  beforeLoad: () => {
    const { state } = session;
    if (state.kind !== 'in') return;
    const next = takeNext();
    if (next !== '/') redirect({ href: next, replace: true, throw: true });
    redirect({ to: '/$account/deployments', params: { account: state.account.slug }, replace: true, throw: true });
  },
});

/** Everything of one account. Addresses of before, which named none, lead into the account in which somebody works. */
const place = createRoute({
  getParentRoute: () => inside,
  path: '/$account',
  beforeLoad: ({ params, location }) => {
    const { state } = session;
    if (state.kind !== 'in' || state.account.slug === params.account || !isOldPath(location.pathname)) return;
    redirect({ href: `/${state.account.slug}${location.href}`, replace: true, throw: true });
  },
  component: AccountPlace,
  notFoundComponent: Missing,
});

const start = createRoute({
  getParentRoute: () => place,
  path: '/',
  beforeLoad: ({ params }) => {
    redirect({ to: '/$account/deployments', params, replace: true, throw: true });
  },
});

const deployments = createRoute({
  getParentRoute: () => place,
  path: '/deployments',
  component: lazyRouteComponent(() => import('./deployments/deployments.screen.js'), 'DeploymentsScreen'),
});

const deployment = createRoute({
  getParentRoute: () => place,
  path: '/deployments/$slug',
  validateSearch: (search: Record<string, unknown>): { tab?: string } => {
    const tab = text(search['tab']);
    return tab === undefined ? {} : { tab };
  },
  component: lazyRouteComponent(() => import('./deployments/deployment.screen.js'), 'DeploymentScreen'),
});

const apiKeys = createRoute({
  getParentRoute: () => place,
  path: '/api-keys',
  validateSearch: (search: Record<string, unknown>): { tab?: 'mcp' } => (search['tab'] === 'mcp' ? { tab: 'mcp' } : {}),
  component: lazyRouteComponent(() => import('./api-keys/api-keys.screen.js'), 'ApiKeysScreen'),
});

const playground = createRoute({
  getParentRoute: () => place,
  path: '/playground',
  validateSearch: (search: Record<string, unknown>): { deployment?: string; beside?: string } => {
    const [deployment, beside] = [text(search['deployment']), text(search['beside'])];
    return { ...(deployment !== undefined && { deployment }), ...(beside !== undefined && { beside }) };
  },
  component: lazyRouteComponent(() => import('./playground/playground.screen.js'), 'PlaygroundScreen'),
});

const usage = createRoute({
  getParentRoute: () => place,
  path: '/usage',
  component: lazyRouteComponent(() => import('./usage/usage.screen.js'), 'UsageScreen'),
});

const activity = createRoute({
  getParentRoute: () => place,
  path: '/activity',
  component: lazyRouteComponent(() => import('./activity/activity.screen.js'), 'ActivityScreen'),
});

const members = createRoute({
  getParentRoute: () => place,
  path: '/members',
  component: lazyRouteComponent(() => import('./people/members.screen.js'), 'MembersScreen'),
});

const account = createRoute({
  getParentRoute: () => place,
  path: '/account',
  component: lazyRouteComponent(() => import('./people/account.screen.js'), 'AccountScreen'),
});

/** Every address of the dashboard. The console answers the same paths with the page. */
export const router = createRouter({
  routeTree: root.addChildren([
    signIn,
    join,
    inside.addChildren([home, place.addChildren([start, deployments, deployment, apiKeys, playground, usage, activity, members, account])]),
  ]),
  defaultPreload: 'intent',
  defaultErrorComponent: Broken,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
