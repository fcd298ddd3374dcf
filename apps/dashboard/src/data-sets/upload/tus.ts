/** Bytes of one PATCH. */
const CHUNK = 16 * 1024 * 1024;
/** Waits between tries that got no further, in milliseconds. */
const AGAIN_AFTER_MS = [500, 2_000, 5_000];
/** Statuses after which the same chunk may be sent again. */
const PASSING: ReadonlySet<number> = new Set([0, 408, 409, 423, 425, 429, 500, 502, 503, 504]);
const TUS = { 'tus-resumable': '1.0.0' } as const;

/** Why an upload ended before its end. `message` may be shown. */
export class UploadError extends Error {
  override readonly name = 'UploadError';

  constructor(
    message: string,
    /** The upload cannot be continued: another try begins a new one. */
    readonly isOver: boolean,
  ) {
    super(message);
  }
}

/** One answer. Status 0 = none came. */
export interface TusAnswer {
  readonly status: number;
  readonly offset: number | null;
  /** What the server said is wrong; null where it said nothing. */
  readonly message: string | null;
}

/** Sends one request of the protocol. */
type TusSend = (request: TusRequest) => Promise<TusAnswer>;

export interface TusRequest {
  readonly method: 'HEAD' | 'PATCH';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Blob;
  readonly signal: AbortSignal;
  /** Bytes of the body that are on their way. */
  readonly onSent?: (bytes: number) => void;
}

interface TusOptions {
  /** Path of the upload, with its ticket. */
  readonly path: string;
  readonly file: Blob;
  /** Aborted: it ends with the signal's reason, and can be continued later. */
  readonly signal: AbortSignal;
  /** Bytes that have arrived or are on their way. */
  readonly onProgress: (bytes: number) => void;
  readonly send?: TusSend;
  readonly chunk?: number;
  readonly pause?: (ms: number) => Promise<void>;
}

/**
 * Sends a file by the tus 1.0 core protocol, from where an earlier try ended. Each piece is tried again after a failure; what
 * arrived is never sent twice.
 * @throws UploadError
 */
export async function uploadFile(options: TusOptions): Promise<void> {
  const { file, signal, onProgress, pause = wait } = options;
  let offset = await offsetOf(options);
  let tries = 0;
  while (offset < file.size) {
    onProgress(offset);
    const answer = await patch(options, offset);
    signal.throwIfAborted();
    const next = answer.status < 300 && answer.status > 0 ? answer.offset : null;
    if (next === null && !PASSING.has(answer.status)) throw refused(answer);
    tries = next !== null && next > offset ? 0 : tries + 1;
    if (next !== null) offset = next;
    if (tries === 0) continue;
    const waitMs = AGAIN_AFTER_MS[tries - 1];
    if (waitMs === undefined) throw refused(answer);
    await pause(waitMs);
    offset = await offsetOf(options, answer);
  }
  onProgress(file.size);
}

/** How much of the file is there. @param before what was refused, which says more than that the upload is gone */
async function offsetOf({ path, signal, send = sendByXhr, pause = wait }: TusOptions, before?: TusAnswer): Promise<number> {
  for (const waitMs of [...AGAIN_AFTER_MS, null]) {
    const answer = await send({ method: 'HEAD', path, headers: TUS, signal });
    signal.throwIfAborted();
    if (answer.status > 0 && answer.status < 300 && answer.offset !== null) return answer.offset;
    if (waitMs === null || !PASSING.has(answer.status)) throw refused({ ...answer, message: before?.message ?? answer.message });
    await pause(waitMs);
  }
  throw refused({ status: 0, offset: null, message: null });
}

function patch({ path, file, signal, onProgress, send = sendByXhr, chunk = CHUNK }: TusOptions, offset: number): Promise<TusAnswer> {
  return send({
    method: 'PATCH',
    path,
    headers: { ...TUS, 'upload-offset': String(offset), 'content-type': 'application/offset+octet-stream' },
    body: file.slice(offset, offset + chunk),
    signal,
    onSent: (bytes) => onProgress(offset + bytes),
  });
}

function refused({ status, message }: TusAnswer): UploadError {
  const isOver = !PASSING.has(status);
  if (isOver) return new UploadError(message ?? 'This upload has expired or was cancelled. Start it again.', true);
  return new UploadError(message ?? 'The console cannot be reached. What arrived is kept; continue the upload in a moment.', false);
}

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** By XMLHttpRequest, which says how much of a body is sent; `fetch` does not. */
function sendByXhr({ method, path, headers, body, signal, onSent }: TusRequest): Promise<TusAnswer> {
  return new Promise((resolve) => {
    const request = new XMLHttpRequest();
    const abort = (): void => request.abort();
    request.open(method, path);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded }) => onSent?.(loaded);
    request.onloadend = () => {
      signal.removeEventListener('abort', abort);
      const offset = request.getResponseHeader('upload-offset');
      resolve({ status: request.status, offset: offset === null ? null : Number(offset), message: messageIn(request.responseText) });
    };
    signal.addEventListener('abort', abort);
    if (signal.aborted) abort();
    request.send(body ?? null);
  });
}

/** The sentence of an error of the console or the service behind it. */
function messageIn(text: string): string | null {
  try {
    const message = (JSON.parse(text) as { readonly error?: { readonly message?: unknown } }).error?.message;
    return typeof message === 'string' ? message : null;
  } catch {
    return null;
  }
}
