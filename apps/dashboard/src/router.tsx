import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { session } from './session/session.js';
import { innerPath } from './session/inner-path.js';
import { Broken, Missing } from './shell/faults.js';
import { Shell } from './shell/shell.js';

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
const FAILED = /^#sign-in-failed=([a-z_]+)$/;

const root = createRootRoute({ notFoundComponent: Missing, errorComponent: Broken });

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: (search: Record<string, unknown>): { next?: string; failed?: string } => {
    const next = innerPath(text(search['next']));
    const failed = text(search['failed']);
    return { ...(next !== '/' && { next }), ...(failed !== undefined && { failed }) };
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
  beforeLoad: async ({ location }) => {
    const { kind } = await session.resume();
    if (kind === 'in') return;
    const failed = FAILED.exec(window.location.hash)?.[1];
    redirect({ to: '/sign-in', search: failed === undefined ? { next: location.href } : { failed }, throw: true });
  },
});

const home = createRoute({
  getParentRoute: () => inside,
  path: '/',
  beforeLoad: () => {
    redirect({ to: '/deployments', replace: true, throw: true });
  },
});

const deployments = createRoute({
  getParentRoute: () => inside,
  path: '/deployments',
  component: lazyRouteComponent(() => import('./deployments/deployments.screen.js'), 'DeploymentsScreen'),
});

const deployment = createRoute({
  getParentRoute: () => inside,
  path: '/deployments/$slug',
  validateSearch: (search: Record<string, unknown>): { tab?: string } => {
    const tab = text(search['tab']);
    return tab === undefined ? {} : { tab };
  },
  component: lazyRouteComponent(() => import('./deployments/deployment.screen.js'), 'DeploymentScreen'),
});

const apiKeys = createRoute({
  getParentRoute: () => inside,
  path: '/api-keys',
  validateSearch: (search: Record<string, unknown>): { tab?: 'mcp' } => (search['tab'] === 'mcp' ? { tab: 'mcp' } : {}),
  component: lazyRouteComponent(() => import('./api-keys/api-keys.screen.js'), 'ApiKeysScreen'),
});

const playground = createRoute({
  getParentRoute: () => inside,
  path: '/playground',
  validateSearch: (search: Record<string, unknown>): { deployment?: string; beside?: string } => {
    const [deployment, beside] = [text(search['deployment']), text(search['beside'])];
    return { ...(deployment !== undefined && { deployment }), ...(beside !== undefined && { beside }) };
  },
  component: lazyRouteComponent(() => import('./playground/playground.screen.js'), 'PlaygroundScreen'),
});

const usage = createRoute({
  getParentRoute: () => inside,
  path: '/usage',
  component: lazyRouteComponent(() => import('./usage/usage.screen.js'), 'UsageScreen'),
});

const activity = createRoute({
  getParentRoute: () => inside,
  path: '/activity',
  component: lazyRouteComponent(() => import('./activity/activity.screen.js'), 'ActivityScreen'),
});

const members = createRoute({
  getParentRoute: () => inside,
  path: '/members',
  component: lazyRouteComponent(() => import('./people/members.screen.js'), 'MembersScreen'),
});

const account = createRoute({
  getParentRoute: () => inside,
  path: '/account',
  component: lazyRouteComponent(() => import('./people/account.screen.js'), 'AccountScreen'),
});

/** Every address of the dashboard. The console answers the same paths with the page. */
export const router = createRouter({
  routeTree: root.addChildren([
    signIn,
    join,
    inside.addChildren([home, deployments, deployment, apiKeys, playground, usage, activity, members, account]),
  ]),
  defaultPreload: 'intent',
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
