import 'reflect-metadata';
import { runServices, type ServiceToRun } from '@slipway/platform/service';

/**
 * The control plane of `npm start`: the services that `SERVICES` names, in this one process. A process for each of
 * the four takes about 135 MiB more of a laptop's memory. Clusters run them apart, by the main.js of each app.
 * `SERVICES` is JSON: what the environment of each service would hold, by the name of its app.
 */
const { SERVICES } = process.env;
// Programs that a service starts do not get the secrets of all.
delete process.env['SERVICES'];

const environments = JSON.parse(SERVICES ?? '{}') as Record<string, Record<string, string>>;

/** What an app's main.js runs is linked once more by itself, so that the services share what they load. */
async function serviceOf([app, environment]: [string, Record<string, string>]): Promise<ServiceToRun> {
  const exported = Object.values((await import(new URL(`../../${app}/dist/linked.js`, import.meta.url).href)) as Record<string, unknown>);
  return { definition: exported[0] as ServiceToRun['definition'], environment };
}

await runServices(await Promise.all(Object.entries(environments).map(serviceOf)));
