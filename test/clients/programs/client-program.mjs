// The frame of every client program: jobs come in as JSON lines, and for each one line with what the client saw goes out.
// `node --experimental-import-meta-resolve program.mjs <folder of node_modules> <flavour> [contract]`
import { Console } from 'node:console';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const [folder = '', flavour = '', contract = ''] = process.argv.slice(2);

/** Which package or provider this process drives, and the contract that it speaks, where it knows several. */
export { contract, flavour };

/** Imports a package of the folder that the test named; its packages are no dependencies of this repository. */
export const load = (specifier) => import(import.meta.resolve(specifier, pathToFileURL(`${folder}/`)));

/** The tool that all programs offer. */
export const TOOL = { name: 'get_weather', description: 'Weather of a city.' };
export const TOOL_PARAMETERS = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
};
/** The object that all programs ask for, as a schema of the zod that their packages use. */
export async function citySchema() {
  const { z } = await load('zod');
  return z.object({ city: z.string(), inhabitants: z.number() });
}
export const WEATHER = 'Sunny, 21 degrees.';

/** Where the contract's paths begin, for clients that want it in their base URL. A job that is `exact` means its base URL to the letter. */
export const underV1 = ({ baseURL, exact = false }) => (exact ? baseURL : `${baseURL}/v1`);

/** What a client sees while it does one job. */
class Sight {
  text = '';
  /** What the model thought before it answered. */
  thought = '';
  calls = [];
  finish = null;
  usage = null;
  model = null;
  value = null;
  error = null;
  requests = 0;
  /** Arguments with which the tool was run. */
  ran = [];
  #begun = false;

  constructor(id) {
    this.id = id;
  }

  /** Notes a piece of the answer, and tells the test of the first one. */
  said(piece) {
    if (!piece) return;
    this.text += piece;
    if (!this.#begun) print({ id: this.id, begun: true });
    this.#begun = true;
  }

  /** The tool, as a runner calls it. */
  tool = (input) => {
    this.ran.push(input);
    return WEATHER;
  };

  /** `fetch`, counted; tells the test of refusals, which a client may repeat by itself. */
  fetch = async (...request) => {
    this.requests += 1;
    const response = await fetch(...request);
    if (!response.ok) print({ id: this.id, refused: response.status });
    return response;
  };
}

// Clients print warnings; stdout is for the test alone.
globalThis.console = new Console(process.stderr);
const print = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);

/** An object, whatever comes. */
const asObject = (value) => (typeof value === 'object' && value !== null ? value : {});
const first = (...values) => values.find((value) => value !== undefined && value !== null) ?? null;

/** The error as the server wrote it, where the client shows it: parsed, as text, or field by field. */
function errorText(error) {
  let body = first(error.error, error);
  try {
    body = JSON.parse(error.responseBody);
  } catch {
    // Not a text, or none.
  }
  return asObject(first(asObject(body).error, body));
}

/** What a user can read off an exception. The AI SDK wraps the last of its tries. */
function describe(thrown) {
  const error = asObject(first(asObject(thrown).lastError, thrown));
  const said = errorText(error);
  return {
    name: error.constructor.name,
    classes: ancestors(error),
    status: first(error.status, error.statusCode),
    code: first(asObject(said.details).error_code, said.code, error.code),
    type: first(said.type, error.type),
    param: first(said.param),
    message: first(error.message, String(thrown)),
    request: first(error.requestID),
  };
}

function ancestors(error) {
  const names = [];
  for (let at = Object.getPrototypeOf(error); at && at !== Object.prototype; at = Object.getPrototypeOf(at))
    names.push(at.constructor.name);
  return names;
}

async function perform(acts, job) {
  const sight = new Sight(job.id);
  try {
    if (!acts[job.act]) throw new Error(`This client does not know how to "${job.act}".`);
    await acts[job.act](job, sight);
  } catch (error) {
    sight.error = describe(error);
  }
  print(sight);
}

/** Does jobs until stdin ends. `acts` = what the client can do, by name: (job, sight) => Promise. */
export function serve(acts) {
  print({ ready: true });
  createInterface({ input: process.stdin })
    .on('line', (line) => void perform(acts, JSON.parse(line)))
    .on('close', () => process.exit(0));
}
