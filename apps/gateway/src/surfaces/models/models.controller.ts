import { Controller, Get, Param } from '@nestjs/common';
import { ServiceError } from '@slipway/contracts';
import { Accepts, Context, idHeaders, type InferenceContext } from '../../http/request-context.js';
import { pathOf } from '../../http/unrouted.js';
import { SurfaceRegistry } from '../registry.js';
import type { ModelFormat } from '../surface.js';

/** The list of models of a deployment, which has one entry, under the base URL of either contract. */
@Controller()
export class ModelsController {
  readonly #surfaces: SurfaceRegistry;

  constructor(surfaces: SurfaceRegistry) {
    this.#surfaces = surfaces;
  }

  @Get([':deployment/v1/models', ':account/:alias/v1/models'])
  @Accepts('deployment-key')
  list(@Context() context: InferenceContext): void {
    const { slug, alias } = context.deployment;
    // The alias in the path is the model name, so a saved model keeps working when the alias changes.
    send(context, this.#formatOf(context).list(entryOf(context, alias ?? slug)));
  }

  @Get([':deployment/v1/models/:model', ':account/:alias/v1/models/:model'])
  @Accepts('deployment-key')
  one(@Context() context: InferenceContext, @Param('model') model: string): void {
    if (!context.deployment.isNamed(model)) {
      throw new ServiceError('model_not_found', `There is no such model here; the one of this URL is "${context.deployment.slug}".`, {
        param: 'model',
      });
    }
    send(context, this.#formatOf(context).one(entryOf(context, model)));
  }

  #formatOf({ request }: InferenceContext): ModelFormat {
    const format = this.#surfaces.modelsFor(pathOf(request.url ?? '/'), request.headers);
    if (!format) throw new ServiceError('not_found', 'Models are not listed here.');
    return format;
  }
}

const entryOf = ({ caller, deployment }: InferenceContext, id: string): Parameters<ModelFormat['one']>[0] => ({
  id,
  owner: caller.account.slug,
  context: deployment.facts.context,
  caps: deployment.facts.caps,
});

function send({ response, id }: InferenceContext, document: object): void {
  const body = JSON.stringify(document);
  response.writeHead(200, {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    'content-length': Buffer.byteLength(body),
    ...idHeaders(id),
  });
  response.end(body);
}
