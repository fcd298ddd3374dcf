import { spawnSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { OwnedProcess } from '../processes/owned-process.js';
import { type ProcessTable, processTable } from '../processes/process-table.js';
import { waitUntil } from '../processes/wait-until.js';
import { CHAT_PATH, type Way } from './way.js';

export interface NginxOptions {
  readonly binary: string;
  /** Empty folder for everything that it writes. */
  readonly folder: string;
  readonly port: number;
  readonly upstreamPort: number;
}

const READY_WITHIN_MS = 10_000;

/** A plain reverse proxy at its leanest: one worker, upstream connections kept, nothing buffered, nothing logged. */
const configuration = ({ folder, port, upstreamPort }: NginxOptions): string => `
daemon off;
worker_processes 1;
${process.getuid?.() === 0 ? 'user root;' : ''}
pid ${join(folder, 'nginx.pid')};
error_log stderr warn;
events { worker_connections 8192; }
http {
  access_log off;
  client_body_temp_path ${join(folder, 'body')};
  proxy_temp_path ${join(folder, 'proxy')};
  fastcgi_temp_path ${join(folder, 'fastcgi')};
  scgi_temp_path ${join(folder, 'scgi')};
  uwsgi_temp_path ${join(folder, 'uwsgi')};
  client_max_body_size 32m;
  client_body_buffer_size 1m;
  keepalive_requests 1000000;
  upstream engine { server 127.0.0.1:${upstreamPort}; keepalive 2048; keepalive_requests 1000000; }
  server {
    listen 127.0.0.1:${port} backlog=4096;
    location / {
      proxy_pass http://engine;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_buffering off;
      proxy_request_buffering off;
      proxy_read_timeout 600s;
    }
  }
}
`;

/** First line that nginx prints about its version. */
const versionOf = (binary: string): string =>
  (spawnSync(binary, ['-v'], { encoding: 'utf8' }).stderr.split('\n')[0] ?? '').split('/').at(-1) ?? '';

/**
 * Starts nginx.
 * @param owned is called as soon as there is a process to end
 */
export async function startNginx(options: NginxOptions, owned: (server: OwnedProcess) => void): Promise<Way> {
  const { binary, folder, port } = options;
  await mkdir(folder, { recursive: true });
  const path = join(folder, 'nginx.conf');
  await writeFile(path, configuration(options));
  const server = new OwnedProcess({
    command: binary,
    args: ['-c', path, '-p', folder],
    cwd: folder,
    env: {},
    stopSignal: 'SIGTERM',
    stopWithinMs: 3_000,
  });
  owned(server);
  const processes = (): ProcessTable => processTable(server.pid, () => 'nginx');
  await waitUntil('nginx starts', READY_WITHIN_MS, () => {
    if (server.ended) throw new Error(`nginx ended: ${server.stderr}`);
    return processes().size > 1 ? true : null;
  });
  return {
    name: 'nginx',
    version: versionOf(binary),
    target: { ports: [port], path: CHAT_PATH, model: 'bench', key: null, keyHeader: 'x-api-key' },
    processes,
    does: [],
    lacks: ['keys', 'limits', 'usage', 'routing by model'],
    refusedKey: () => Promise.resolve(null),
  };
}
