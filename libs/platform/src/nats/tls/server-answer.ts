import { connect as openSocket, isIP, type Socket } from 'node:net';
import { connect as openTls } from 'node:tls';
import { identityCheck, type NatsTlsContent } from './tls-files.js';

/** Why TLS with a server fails. */
export type TlsReason = 'expired' | 'not_yet_valid' | 'unknown_authority' | 'other_name' | 'client_refused' | 'no_tls' | 'files' | 'other';

/** A failure of TLS, in words for people and as a label for metrics. */
export interface TlsTrouble {
  readonly reason: TlsReason;
  /** Without the address, such as `its certificate has expired`. */
  readonly text: string;
}

const WITHIN_MS = 2_000;
const INFO = /^INFO (\{.*\})\s*\r\n/;

const TEXTS: Readonly<Record<Exclude<TlsReason, 'other' | 'files'>, string>> = {
  expired: 'its certificate has expired',
  not_yet_valid: 'its certificate is not valid yet',
  unknown_authority: 'its certificate is not signed by an authority of NATS_CA',
  other_name: 'its certificate is for another name',
  client_refused: 'it refuses the certificate of this process (NATS_CERT)',
  no_tls: 'it does not speak TLS',
};

const REASONS: Readonly<Record<string, keyof typeof TEXTS>> = {
  CERT_HAS_EXPIRED: 'expired',
  CERT_NOT_YET_VALID: 'not_yet_valid',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'unknown_authority',
  UNABLE_TO_GET_ISSUER_CERT: 'unknown_authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'unknown_authority',
  SELF_SIGNED_CERT_IN_CHAIN: 'unknown_authority',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'unknown_authority',
  CERT_SIGNATURE_FAILURE: 'unknown_authority',
  ERR_TLS_CERT_ALTNAME_INVALID: 'other_name',
};

function troubleOf(error: unknown): TlsTrouble {
  const { code = '', message = '' } = error as { code?: string; message?: string };
  // Alerts that the server sends about the client's certificate.
  const isRefusal = /alert|CERTIFICATE_REQUIRED|BAD_CERTIFICATE/i.test(`${code} ${message}`);
  const reason = REASONS[code] ?? (isRefusal ? 'client_refused' : 'other');
  return { reason, text: reason === 'other' ? `TLS fails (${code || message})` : TEXTS[reason] };
}

interface ServerInfo {
  readonly tls_required?: boolean;
  readonly tls_available?: boolean;
}

/** Resolves with the server's first line; rejects when the server does not answer. */
function readInfo(socket: Socket): Promise<ServerInfo> {
  return new Promise((resolve, reject) => {
    let text = '';
    const gone = (): void => reject(new Error('no answer'));
    socket.once('error', gone).once('close', gone);
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const [, line] = INFO.exec(text) ?? [];
      if (line === undefined) return;
      socket.removeAllListeners();
      resolve(JSON.parse(line) as ServerInfo);
    });
  });
}

/** Speaks TLS, and waits for a first answer: with TLS 1.3 a server judges the client's certificate after the handshake. */
function handshake(socket: Socket, host: string, { url, content }: Pick<Question, 'url' | 'content'>): Promise<TlsTrouble | null> {
  return new Promise((resolve) => {
    const servername = isIP(host) === 0 ? host : '';
    const secure = openTls({ ...content, socket, servername, checkServerIdentity: identityCheck(url) }, () => secure.write('PING\r\n'));
    const timer = setTimeout(() => resolve(null), WITHIN_MS);
    const end = (trouble: TlsTrouble | null): void => {
      clearTimeout(timer);
      secure.destroy();
      resolve(trouble);
    };
    secure.once('data', () => end(null));
    secure.once('error', (error) => end(troubleOf(error)));
    secure.once('close', () => end({ reason: 'client_refused', text: TEXTS.client_refused }));
  });
}

/** What is asked of a server. */
export interface Question {
  /** Address of the one server. */
  readonly server: string;
  /** All configured addresses. */
  readonly url: string;
  /** Absent: without own files. */
  readonly content: NatsTlsContent | undefined;
}

/** Tries TLS with a server on a connection of its own. @returns null when TLS is not what is wrong: the server is away, or all is well */
export async function tlsTrouble(question: Question): Promise<TlsTrouble | null> {
  const address = new URL(question.server.includes('://') ? question.server : `nats://${question.server}`);
  const host = address.hostname.replaceAll(/[[\]]/g, '');
  const socket = openSocket({ host, port: Number(address.port || 4_222), timeout: WITHIN_MS });
  socket.once('timeout', () => socket.destroy());
  try {
    const info = await readInfo(socket);
    const speaksTls = info.tls_required === true || info.tls_available === true;
    if (!speaksTls) return question.content || address.protocol === 'tls:' ? { reason: 'no_tls', text: TEXTS.no_tls } : null;
    return await handshake(socket, host, question);
  } catch {
    return null;
  } finally {
    socket.on('error', () => undefined);
    socket.destroy();
  }
}
