import type { Type } from '@nestjs/common';
import type { CanonicalRequest, EndFrame, PublicApi, ServiceError, StreamEvent } from '@slipway/contracts';
import type { ResolvedDeployment } from '../deployments/deployment-resolver.service.js';
import type { SurfaceDescription } from '../openapi/description.js';

/** How a public contract writes errors. */
export interface ErrorFormat {
  status(error: ServiceError): number;
  /** JSON of an error response. */
  body(error: ServiceError, requestId: string): string;
}

/** Turns the events of one answer into a public contract's text. It gets every event once, in order. */
export interface ResponseWriter {
  /** Stream frames for events that go out together; texts next to each other become one. */
  frames(events: readonly StreamEvent[]): string;
  /** The last frames of a complete answer. */
  lastFrames(end: EndFrame): string;
  /** The one frame that ends a failed stream. */
  errorFrame(error: ServiceError, requestId: string): string;
  /** Keeps a silent stream open; clients ignore it. It may come before all frames. */
  readonly keepAlive: string;
  /** Takes events of an answer that is not streamed. */
  collect(events: readonly StreamEvent[]): void;
  /** The whole answer of what was collected. */
  document(end: EndFrame): string;
}

/** What a client asked for, understood. */
export interface SurfaceRequest {
  readonly canonical: CanonicalRequest;
  readonly stream: boolean;
  /** What the client sent to keep its requests together, if anything. */
  readonly affinity: string | undefined;
  /** The fields that the client called otherwise than engines do, by the engines' names for them; absent = none. */
  readonly names?: FieldNames;
}

/** Engines call fields as the chat contract does, by the first of its names: from that name to the client's. */
export type FieldNames = Readonly<Record<string, string>>;

/** What an operator allows requests. */
export interface RequestPolicy {
  /** Hosts that images may be fetched from. */
  readonly imageHosts: readonly string[];
}

/** The part of a request that the gateway keeps while it is answered. */
export type RequestShell<R extends SurfaceRequest = SurfaceRequest> = Omit<R, 'canonical'>;

/** What threads call the readers of bodies: as a start names its contract. */
export type ReaderName = PublicApi | 'count';

/** How bodies are checked against a public contract. */
export interface BodyReading<R extends SurfaceRequest = SurfaceRequest> {
  /** Its name among the readers of threads, where large bodies are read; absent = they are read on the main loop too. */
  readonly reader?: ReaderName;
  /**
   * Checks a body against the contract.
   * @throws ServiceError naming the first field that is wrong.
   */
  read(body: Record<string, unknown>, deployment: ResolvedDeployment, policy: RequestPolicy): R;
  /** The refusal of a `model` that is not the deployment of the path; absent where the contract has no such field. */
  readonly wrongModel?: (slug: string) => ServiceError;
}

/** A public contract: everything that the rest of the gateway needs to know of it. */
export interface Surface<R extends SurfaceRequest = SurfaceRequest> extends BodyReading<R> {
  readonly api: PublicApi;
  readonly errors: ErrorFormat;
  /** @param streamId id of the answer, without a prefix. */
  writer(request: RequestShell<R>, deployment: ResolvedDeployment, streamId: string): ResponseWriter;
}

/** How many tokens a request's prompt has. */
export interface PromptCount {
  readonly tokens: number;
  /** The engine did not count it with the model's own tokenizer and template. */
  readonly isEstimate: boolean;
}

/** A public contract's question for the length of a prompt. */
export interface CountSurface extends BodyReading {
  /** The whole answer: headers beyond the usual ones, and JSON. */
  response(count: PromptCount): { readonly headers: Readonly<Record<string, string>>; readonly body: string };
}

/** A deployment as a list of models shows it. */
export interface ModelEntry {
  /** What a client sends as `model`. */
  readonly id: string;
  /** Slug of the account. */
  readonly owner: string;
  /** Tokens per sequence; null where it is unknown. */
  readonly context: number | null;
}

/** How a public contract writes models. */
export interface ModelFormat {
  one(entry: ModelEntry): object;
  /** The whole answer to a question for the list, which holds one. */
  list(entry: ModelEntry): object;
}

/** A method and what follows the deployment in a path, such as `/v1/messages`. */
export interface SurfaceEndpoint {
  readonly method: 'GET' | 'POST';
  readonly path: string;
}

/** What the folder of a public contract shows to the HTTP door. The first endpoint is the one that clients are pointed to. */
export interface SurfaceRegistration {
  /** Its name in records of usage. */
  readonly api: Surface['api'];
  readonly controllers: readonly Type[];
  readonly errors: ErrorFormat;
  readonly endpoints: readonly [SurfaceEndpoint, ...SurfaceEndpoint[]];
  /** True for a path that clients of this contract ask for, however wrong what comes before its end is. */
  readonly owns: (path: string) => boolean;
  /** A header that only clients of this contract send, in lower case: it decides where a path says nothing. */
  readonly header?: string;
  /** Absent = as the first contract shows them. */
  readonly models?: ModelFormat;
  /**
   * What a client with a wrong base URL is to set; null where the path shows none.
   * @param baseUrl the address that clients use, without a path.
   */
  readonly hint: (path: string, baseUrl: string) => string | null;
  /** Absent = the OpenAPI document says nothing of it. */
  readonly openapi?: SurfaceDescription;
}
