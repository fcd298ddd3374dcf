import type { Type } from '@nestjs/common';
import type { CanonicalRequest, EndFrame, PublicApi, ServiceError, StreamEvent } from '@slipway/contracts';
import type { ResolvedDeployment } from '../deployments/deployment-resolver.service.js';
import type { SurfaceDescription } from '../openapi/description.js';
import type { StoredPart, StoredValues } from '../stored/stored-values.js';

/** How a public contract writes errors. */
export interface ErrorFormat {
  status(error: ServiceError): number;
  /** JSON of an error response. */
  body(error: ServiceError, requestId: string): string;
}

/** Writes the events of one answer as one document. It gets every event once; those of a request in parts in any order. */
export interface DocumentWriter {
  /** Collects events of an answer that is not streamed. */
  collect(events: readonly StreamEvent[]): void;
  /** The response body made of the collected events. A promise never rejects. @throws ServiceError when the answer is incomplete */
  document(end: EndFrame): string | Promise<string>;
  /** Memory that a collected event takes, in bytes; absent = about that of its text. */
  bytesOf?(event: StreamEvent): number;
  /** Memory of what it holds of the request until the end, in bytes; absent = none. */
  readonly requestBytes?: number;
}

/** The end of a stream whose last frames must wait. */
export interface LateFrames {
  readonly now: string;
  /** Never rejects. */
  readonly late: Promise<string>;
}

/** Writes the events of one answer in a public contract's format. It gets every event once, in order. */
export interface ResponseWriter extends DocumentWriter {
  /** Stream frames for events that are sent together; adjacent texts are merged. */
  frames(events: readonly StreamEvent[]): string;
  /** The last frames of a complete answer. */
  lastFrames(end: EndFrame): string | LateFrames;
  /** The one frame that ends a failed stream. */
  errorFrame(error: ServiceError, requestId: string): string;
  /** Memory of the text in frames that it keeps until the end, in bytes; absent = none. */
  readonly keptBytes?: number;
  /** Keeps a silent stream open; clients ignore it. It may be the first frame of all. */
  keepAlive(): string;
}

/** The parts of a request that workers answer side by side. The first one is its `canonical`. */
export interface RequestParts {
  /** Number of the first text of each part. */
  readonly firsts: readonly number[];
  /** Estimated tokens of each part. */
  readonly costs: readonly number[];
  /** The canonical requests of the parts behind the first one, as JSON in UTF-8. */
  readonly more: readonly Uint8Array[];
  /** UTF-16 code units of the texts of each part. */
  readonly units: readonly number[];
}

/** A checked request. */
export interface SurfaceRequest {
  readonly canonical: CanonicalRequest;
  readonly stream: boolean;
  /** The client's cache key, if it sent one. */
  readonly affinity: string | undefined;
  /** The client's names of fields that engines name differently; absent = none. */
  readonly names?: FieldNames;
  /** Parts of the request that are left out, for a response header; absent = none. */
  readonly ignored?: readonly string[];
  /** Absent = one worker answers it. */
  readonly parts?: RequestParts;
}

/** From engines' field names, which are the chat contract's first ones, to the client's. */
export type FieldNames = Readonly<Record<string, string>>;

/** The operator's settings for requests. */
export interface RequestPolicy {
  /** Hosts that images may be fetched from. */
  readonly imageHosts: readonly string[];
}

/** The part of a request that is kept until its response is over. */
export type RequestShell<R extends SurfaceRequest = SurfaceRequest> = Omit<R, 'canonical'>;

/** Name of a body reader in threads, as `api` names the contract in a start. */
export type ReaderName = PublicApi | 'count';

/** How bodies are checked against a public contract. */
export interface BodyReading<R extends SurfaceRequest = SurfaceRequest> {
  /** Reader for large bodies in threads; absent = they are read on the main thread. */
  readonly reader?: ReaderName;
  /**
   * Places of texts that this contract passes on as they are, joined with others at most, as `cutTexts` takes them: in a large body
   * `read` meets marks in place of them, unless the deployment stores what the contract refers to. Absent = it looks into all texts.
   */
  readonly texts?: ReadonlySet<string>;
  /** Names of the stored values that a body refers to; absent = this contract has no references. Called for any body. */
  readonly namesIn?: (body: Record<string, unknown>) => readonly string[];
  /**
   * Checks a body against the contract.
   * @param stored the values that `namesIn` named, as far as they are there; absent = the deployment stores nothing.
   * @throws ServiceError naming the first field that is wrong.
   */
  read(body: Record<string, unknown>, deployment: ResolvedDeployment, policy: RequestPolicy, stored?: StoredValues): R;
  /** The error of a `model` that is not the deployment of the path; absent where the contract has no such field. */
  readonly wrongModel?: (slug: string) => ServiceError;
}

/** Stores a response for later requests. Never rejects. @returns false where it could not be stored */
export type StoreResponse = (values: Readonly<Record<StoredPart, string>>) => Promise<boolean>;

/** A public contract, for the rest of the gateway. */
export interface Surface<R extends SurfaceRequest = SurfaceRequest> extends BodyReading<R> {
  readonly api: PublicApi;
  readonly errors: ErrorFormat;
  /**
   * @param streamId id of the response, without a prefix.
   * @param store for a request whose response is to be stored.
   */
  writer(request: RequestShell<R>, deployment: ResolvedDeployment, streamId: string, store: StoreResponse): ResponseWriter;
}

/** A public contract whose requests come in parts and are answered by one document. */
export interface SplitSurface<R extends SurfaceRequest & { readonly parts: RequestParts }> extends BodyReading<R> {
  readonly api: PublicApi;
  writer(request: RequestShell<R>, deployment: ResolvedDeployment): DocumentWriter;
}

/** Number of tokens in a prompt. */
export interface PromptCount {
  readonly tokens: number;
  /** True where the engine did not use the model's tokenizer and template. */
  readonly isEstimate: boolean;
}

/** A public contract's request for the token count of a prompt. */
export interface CountSurface extends BodyReading {
  /** The response: additional headers, and its JSON. */
  response(count: PromptCount): { readonly headers: Readonly<Record<string, string>>; readonly body: string };
}

/** A deployment in a list of models. */
export interface ModelEntry {
  /** What a client sends as `model`. */
  readonly id: string;
  /** Slug of the account. */
  readonly owner: string;
  /** Tokens per sequence; null where it is unknown. */
  readonly context: number | null;
  /** Capabilities of its engine; empty where they are unknown. */
  readonly caps: readonly string[];
}

/** How a public contract writes models. */
export interface ModelFormat {
  one(entry: ModelEntry): object;
  /** The list, which has one entry. */
  list(entry: ModelEntry): object;
}

/** A method and what follows the deployment in a path, such as `/v1/messages`. */
export interface SurfaceEndpoint {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** `{id}` stands for the id of a response. */
  readonly path: string;
}

/** What a public contract registers with the HTTP layer. Error messages name the first endpoint. */
export interface SurfaceRegistration {
  /** Its name in records of usage. */
  readonly api: Surface['api'];
  readonly controllers: readonly Type[];
  readonly errors: ErrorFormat;
  readonly endpoints: readonly [SurfaceEndpoint, ...SurfaceEndpoint[]];
  /** True for a path whose end belongs to this contract, whatever comes before it. */
  readonly owns: (path: string) => boolean;
  /** A header that only clients of this contract send, in lower case; it decides where the path does not. */
  readonly header?: string;
  /** Absent = as in the first contract. */
  readonly models?: ModelFormat;
  /**
   * The message for a client with a wrong base URL; null where the path shows none.
   * @param baseUrl public base URL, without a path.
   */
  readonly hint: (path: string, baseUrl: string) => string | null;
  /** Absent = not in the OpenAPI document. */
  readonly openapi?: SurfaceDescription;
}
