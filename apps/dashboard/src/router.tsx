import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router';
import {
  ACTIVITY_SEARCH,
  ADAPTERS_SEARCH,
  API_KEYS_SEARCH,
  CHECKPOINTS_SEARCH,
  CREATE_SEARCH,
  DATA_SET_SEARCH,
  DATA_SETS_SEARCH,
  DEPLOYMENT_SEARCH,
  DEPLOYMENTS_SEARCH,
  ENTRIES_SEARCH,
  EVALUATIONS_SEARCH,
  FINE_TUNING_SEARCH,
  INVITED_SEARCH,
  JOB_SEARCH,
  KEY_SEARCH,
  MCP_CALLS_SEARCH,
  MCP_TOOLS_SEARCH,
  MEMBERS_SEARCH,
  MODELS_SEARCH,
  NEW_JOB_SEARCH,
  PLAYGROUND_SEARCH,
  PROBLEMS_SEARCH,
  PROFILE_SEARCH,
  REVISIONS_SEARCH,
  SETTINGS_SEARCH,
  SUITE_LIST_SEARCH,
  USAGE_PARTS_SEARCH,
  USAGE_REFUSED_SEARCH,
  USAGE_SEARCH,
  USES_SEARCH,
} from './searches.js';
import { accountIn, innerPath, isOldPath, takeNext } from './session/inner-path.js';
import { session } from './session/session.js';
import { AccountPlace } from './shell/account-place.js';
import { Broken, Missing } from './shell/faults.js';
import { BrokenShell, Shell } from './shell/shell.js';
import { parseSearch, searchOf, stringifySearch } from './url-state/search-codec.js';

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
const FAILED = /^#sign-in-failed=([a-z_]+)$/;

const root = createRootRoute({
  // Parameters that a route's own check leaves out come through from the root; `next` is checked here for all routes.
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

const entry = createRoute({
  getParentRoute: () => inside,
  path: '/',
  beforeLoad: () => {
    const { state } = session;
    if (state.kind !== 'in') return;
    const next = takeNext();
    if (next !== '/') redirect({ href: next, replace: true, throw: true });
    redirect({ to: '/$account/home', params: { account: state.account.slug }, replace: true, throw: true });
  },
});

/** Everything of one account. Old addresses, which name no account, lead into the current one. */
const account = createRoute({
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
  getParentRoute: () => account,
  path: '/',
  beforeLoad: ({ params }) => {
    redirect({ to: '/$account/home', params, replace: true, throw: true });
  },
});

const home = createRoute({
  getParentRoute: () => account,
  path: '/home',
  staticData: { crumb: 'Home' },
  component: lazyRouteComponent(() => import('./home/home.screen.js'), 'HomeScreen'),
});

const playground = createRoute({
  getParentRoute: () => account,
  path: '/playground',
  staticData: { crumb: 'Playground' },
  validateSearch: searchOf(PLAYGROUND_SEARCH),
  component: lazyRouteComponent(() => import('./playground/playground.screen.js'), 'PlaygroundScreen'),
});

const models = createRoute({
  getParentRoute: () => account,
  path: '/models',
  staticData: { crumb: 'Models' },
  validateSearch: searchOf(MODELS_SEARCH),
  component: lazyRouteComponent(() => import('./models/models.screen.js'), 'ModelsScreen'),
});

const dataSets = createRoute({ getParentRoute: () => account, path: '/data-sets', staticData: { crumb: 'Data sets' } });

const dataSetList = createRoute({
  getParentRoute: () => dataSets,
  path: '/',
  validateSearch: searchOf(DATA_SETS_SEARCH),
  component: lazyRouteComponent(() => import('./data-sets/data-sets.screen.js'), 'DataSetsScreen'),
});

const dataSet = createRoute({
  getParentRoute: () => dataSets,
  path: '/$name',
  staticData: { names: 'data set' },
  validateSearch: searchOf(DATA_SET_SEARCH, PROBLEMS_SEARCH, USES_SEARCH),
  component: lazyRouteComponent(() => import('./data-sets/data-set.screen.js'), 'DataSetScreen'),
});

const fineTuning = createRoute({ getParentRoute: () => account, path: '/fine-tuning', staticData: { crumb: 'Fine-tuning' } });

const jobList = createRoute({
  getParentRoute: () => fineTuning,
  path: '/',
  validateSearch: searchOf(FINE_TUNING_SEARCH, ADAPTERS_SEARCH),
  component: lazyRouteComponent(() => import('./tuning/fine-tuning.screen.js'), 'FineTuningScreen'),
});

const newJob = createRoute({
  getParentRoute: () => fineTuning,
  path: '/new',
  staticData: { crumb: 'New job' },
  validateSearch: searchOf(NEW_JOB_SEARCH),
  component: lazyRouteComponent(() => import('./tuning/new-job.screen.js'), 'NewJobScreen'),
});

const job = createRoute({
  getParentRoute: () => fineTuning,
  path: '/$id',
  staticData: { names: 'job' },
  validateSearch: searchOf(JOB_SEARCH, CHECKPOINTS_SEARCH),
  component: lazyRouteComponent(() => import('./tuning/job.screen.js'), 'JobScreen'),
});

const adapter = createRoute({
  getParentRoute: () => fineTuning,
  path: '/adapters/$id',
  staticData: { names: 'adapter' },
  component: lazyRouteComponent(() => import('./adapters/adapter.screen.js'), 'AdapterScreen'),
});

const evaluations = createRoute({ getParentRoute: () => account, path: '/evaluations', staticData: { crumb: 'Evaluations' } });

const evaluation = createRoute({
  getParentRoute: () => evaluations,
  path: '/$id',
  staticData: { crumb: 'Evaluation' },
  component: lazyRouteComponent(() => import('./evaluations/evaluation.screen.js'), 'EvaluationScreen'),
});

const vote = createRoute({
  getParentRoute: () => evaluations,
  path: '/$id/vote',
  staticData: { crumb: 'Vote' },
  component: lazyRouteComponent(() => import('./evaluations/vote.screen.js'), 'VoteScreen'),
});

const evaluationList = createRoute({
  getParentRoute: () => evaluations,
  path: '/',
  validateSearch: searchOf(EVALUATIONS_SEARCH, SUITE_LIST_SEARCH),
  component: lazyRouteComponent(() => import('./evaluations/evaluations.screen.js'), 'EvaluationsScreen'),
});

const deployments = createRoute({ getParentRoute: () => account, path: '/deployments', staticData: { crumb: 'Deployments' } });

const deploymentList = createRoute({
  getParentRoute: () => deployments,
  path: '/',
  validateSearch: searchOf(DEPLOYMENTS_SEARCH),
  component: lazyRouteComponent(() => import('./deployments/deployments.screen.js'), 'DeploymentsScreen'),
});

const createDeployment = createRoute({
  getParentRoute: () => deployments,
  path: '/create',
  staticData: { crumb: 'Create' },
  validateSearch: searchOf(CREATE_SEARCH),
  component: lazyRouteComponent(() => import('./deployments/create/create-deployment.screen.js'), 'CreateDeploymentScreen'),
});

const deployment = createRoute({
  getParentRoute: () => deployments,
  path: '/$slug',
  staticData: { names: 'deployment' },
  validateSearch: searchOf(DEPLOYMENT_SEARCH, REVISIONS_SEARCH),
  component: lazyRouteComponent(() => import('./deployments/deployment.screen.js'), 'DeploymentScreen'),
});

const apiKeys = createRoute({ getParentRoute: () => account, path: '/api-keys', staticData: { crumb: 'API Keys' } });

const keyList = createRoute({
  getParentRoute: () => apiKeys,
  path: '/',
  validateSearch: searchOf(API_KEYS_SEARCH, MCP_TOOLS_SEARCH, MCP_CALLS_SEARCH),
  component: lazyRouteComponent(() => import('./api-keys/api-keys.screen.js'), 'ApiKeysScreen'),
});

const key = createRoute({
  getParentRoute: () => apiKeys,
  path: '/$id',
  staticData: { names: 'key' },
  validateSearch: searchOf(KEY_SEARCH),
  component: lazyRouteComponent(() => import('./api-keys/key.screen.js'), 'KeyScreen'),
});

const usage = createRoute({
  getParentRoute: () => account,
  path: '/usage',
  staticData: { crumb: 'Usage' },
  validateSearch: searchOf(USAGE_SEARCH, USAGE_PARTS_SEARCH, USAGE_REFUSED_SEARCH),
  component: lazyRouteComponent(() => import('./usage/usage.screen.js'), 'UsageScreen'),
});

const request = createRoute({
  getParentRoute: () => account,
  path: '/requests/$id',
  staticData: { crumb: 'Request' },
  component: lazyRouteComponent(() => import('./requests/request.screen.js'), 'RequestScreen'),
});

const members = createRoute({
  getParentRoute: () => account,
  path: '/members',
  staticData: { crumb: 'Members' },
  validateSearch: searchOf(MEMBERS_SEARCH, INVITED_SEARCH),
  component: lazyRouteComponent(() => import('./people/members.screen.js'), 'MembersScreen'),
});

const activity = createRoute({
  getParentRoute: () => account,
  path: '/activity',
  staticData: { crumb: 'Activity' },
  validateSearch: searchOf(ACTIVITY_SEARCH, ENTRIES_SEARCH),
  component: lazyRouteComponent(() => import('./activity/activity.screen.js'), 'ActivityScreen'),
});

const settings = createRoute({
  getParentRoute: () => account,
  path: '/settings',
  staticData: { crumb: 'Settings' },
  validateSearch: searchOf(SETTINGS_SEARCH),
  component: lazyRouteComponent(() => import('./settings/settings.screen.js'), 'SettingsScreen'),
});

const profile = createRoute({
  getParentRoute: () => account,
  path: '/profile',
  staticData: { crumb: 'Your profile' },
  validateSearch: searchOf(PROFILE_SEARCH),
  component: lazyRouteComponent(() => import('./people/profile.screen.js'), 'ProfileScreen'),
});

/** Every address of the dashboard. The console answers the same paths with the page. */
export const router = createRouter({
  routeTree: root.addChildren([
    signIn,
    join,
    inside.addChildren([
      entry,
      account.addChildren([
        start,
        home,
        playground,
        models,
        dataSets.addChildren([dataSetList, dataSet]),
        fineTuning.addChildren([jobList, newJob, job, adapter]),
        evaluations.addChildren([evaluationList, evaluation, vote]),
        deployments.addChildren([deploymentList, createDeployment, deployment]),
        apiKeys.addChildren([keyList, key]),
        usage,
        request,
        members,
        activity,
        settings,
        profile,
      ]),
    ]),
  ]),
  parseSearch,
  stringifySearch,
  defaultPreload: 'intent',
  defaultErrorComponent: Broken,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
