import type { SurfaceRegistration } from '../surfaces/surface.js';
import { type EndpointDescription, type JsonSchema, ref, type SurfaceDescription } from './description.js';
import { errorResponse, errorResponseRefs, HEADERS, ID_HEADERS, LIMIT_HEADERS, namedErrorResponses } from './error-responses.js';

/** Version of the API, not of the product; the major part changes with breaking changes. */
const VERSION = '1.0.0';

const DESCRIPTION = `Deployed language models behind three public contracts. Every path begins with a deployment: its slug \`deployment-<id>\`, or \`{account}/{alias}\`.

Fields of a request that are not listed here are ignored. What would change the answer and is not offered is refused by name.`;

type Described = SurfaceRegistration & { readonly openapi: SurfaceDescription };

/** How a path names a deployment, and the suffix of its operation ids. */
interface Naming {
  readonly prefix: string;
  readonly suffix: string;
  readonly parameters: readonly object[];
}

const inPath = (name: string, description: string, pattern: string): object => ({
  name,
  in: 'path',
  required: true,
  description,
  schema: { type: 'string', pattern },
});

const NAMINGS: readonly Naming[] = [
  { prefix: '/{deployment}', suffix: '', parameters: [inPath('deployment', 'Slug of the deployment.', '^deployment-[1-9][0-9]{0,9}$')] },
  {
    prefix: '/{account}/{alias}',
    suffix: 'ByAlias',
    parameters: [
      inPath('account', 'Slug of the account.', '^[a-z][a-z0-9-]{1,38}[a-z0-9]$'),
      inPath('alias', 'Alias of the deployment.', '^[a-z0-9][a-z0-9._-]{0,62}$'),
    ],
  },
];

/**
 * The OpenAPI 3.1 document of the inference API.
 * @param surfaces those without a description are left out.
 * @param baseUrl public base URL, without a path.
 */
export function openApiDocument(surfaces: readonly SurfaceRegistration[], baseUrl: string): JsonSchema {
  const described = surfaces.filter((surface): surface is Described => surface.openapi !== undefined);
  const paths = NAMINGS.flatMap((naming) => [...described.flatMap((surface) => operations(surface, naming)), ...models(described, naming)]);
  return {
    openapi: '3.1.1',
    info: {
      title: 'Slipway inference API',
      version: VERSION,
      description: DESCRIPTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: baseUrl }],
    security: [{ bearer: [] }, { apiKey: [] }],
    tags: [...described.map(({ openapi: { name, description } }) => ({ name, description })), { name: 'models' }, { name: 'gateway' }],
    paths: { ...Object.fromEntries(paths), ...OPEN_PATHS },
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'A deployment key, `svc_dep_…`.' },
        apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'The same key in a header of its own.' },
      },
      headers: HEADERS,
      responses: {
        ...Object.assign({}, ...described.map(({ openapi, errors }) => namedErrorResponses(errors, openapi.error))),
        ModelsError: errorResponse('An error in the form of the same contract.', {
          anyOf: described.map(({ openapi }) => ref(openapi.error)),
        }),
      } as object,
      schemas: Object.assign({}, ...described.map(({ openapi }) => openapi.schemas)) as object,
    },
  };
}

function operations({ openapi, errors }: Described, { prefix, suffix, parameters }: Naming): [string, object][] {
  const operation = (endpoint: EndpointDescription): [string, object] => [
    endpoint.method ?? 'post',
    {
      operationId: `${endpoint.id}${suffix}`,
      tags: [openapi.name],
      summary: endpoint.summary,
      description: endpoint.description,
      ...(endpoint.query && { parameters: endpoint.query }),
      ...(endpoint.request !== undefined && {
        requestBody: { required: true, content: { 'application/json': { schema: ref(endpoint.request) } } },
      }),
      responses: { '200': success(endpoint), ...errorResponseRefs(errors, openapi.error) },
    },
  ];
  const paths = [...new Set(openapi.endpoints.map(({ path }) => path))];
  return paths.map((path) => {
    const endpoints = openapi.endpoints.filter((endpoint) => endpoint.path === path);
    const own = endpoints[0]?.pathParameters ?? [];
    return [`${prefix}${path}`, { parameters: [...parameters, ...own], ...Object.fromEntries(endpoints.map(operation)) }];
  });
}

function success({ response, event, headers = {} }: EndpointDescription): object {
  const named = Object.entries(headers).map(([name, description]) => [name, { description, schema: { type: 'string' } }] as const);
  const stream = event !== undefined && {
    'text/event-stream': {
      schema: {
        type: 'string',
        description: `Server-sent events; the data of each is a ${event}, but for a last one of the text [DONE] where the contract has it.`,
      },
      'x-event-schema': ref(event),
    },
  };
  return {
    description: stream ? 'The answer; with `stream`, its events.' : 'The answer.',
    headers: { ...LIMIT_HEADERS, ...Object.fromEntries(named) },
    content: { 'application/json': { schema: ref(response) }, ...stream },
  };
}

/** The models of a deployment, in the form of the client's contract. */
function models(described: readonly Described[], { prefix, suffix, parameters }: Naming): [string, object][] {
  const anyOf = (name: (surface: SurfaceDescription) => string): JsonSchema => ({
    anyOf: described.map(({ openapi }) => ref(name(openapi))),
  });
  const formed = described.flatMap(({ header }) => (header === undefined ? [] : [formHeader(header)]));
  const get = (id: string, summary: string, schema: JsonSchema): object => ({
    operationId: `${id}${suffix}`,
    tags: ['models'],
    summary,
    parameters: formed,
    responses: {
      '200': {
        description: 'In the form of the contract whose client asks.',
        headers: ID_HEADERS,
        content: { 'application/json': { schema } },
      },
      default: { $ref: '#/components/responses/ModelsError' },
    },
  });
  const model = { name: 'model', in: 'path', required: true, description: 'A name of the deployment.', schema: { type: 'string' } };
  return [
    [
      `${prefix}/v1/models`,
      {
        parameters,
        get: get(
          'listModels',
          'The one model of a deployment, as a list',
          anyOf((one) => one.models),
        ),
      },
    ],
    [
      `${prefix}/v1/models/{model}`,
      {
        parameters: [...parameters, model],
        get: get(
          'retrieveModel',
          'The model of a deployment',
          anyOf((one) => one.model),
        ),
      },
    ],
  ];
}

const formHeader = (name: string): object => ({
  name,
  in: 'header',
  required: false,
  description: 'Its presence, whatever its value, asks for the form of its contract.',
  schema: { type: 'string' },
});

const plain = (description: string): object => ({ description, content: { 'text/plain': { schema: { type: 'string' } } } });

const health = (operationId: string, summary: string, responses: object): object => ({
  get: { operationId, tags: ['gateway'], summary, security: [], responses },
});

/** Paths without a key. */
const OPEN_PATHS: Readonly<Record<string, object>> = {
  '/livez': health('live', 'Whether the process runs', { '200': plain('It does.') }),
  '/readyz': health('ready', 'Whether requests can be answered', { '200': plain('They can.'), '503': plain('Why they cannot.') }),
  '/openapi.json': health('describe', 'This document', {
    '200': { description: 'This document.', content: { 'application/json': { schema: { type: 'object' } } } },
  }),
};
