import { join } from 'node:path';
import type { Peer } from './peer.js';

const REQUIREMENTS = `tensorzero==2026.6.0
anyio==4.16.0
certifi==2026.10.19.post1
dacite==1.9.2
h11==0.16.0
httpcore==1.0.9
httpx==0.28.1
idna==3.20
typing_extensions==4.16.0
uuid_utils==1.2.0
`;

/** The wheel holds the whole gateway; it finds a port by itself and says where it listens. */
const START = `import signal, sys
from tensorzero import _start_http_gateway
gateway = _start_http_gateway(config_file=sys.argv[1], clickhouse_url=None, postgres_url=None, valkey_url=None, async_setup=False)
print(gateway.base_url, flush=True)
signal.pause()
`;

const settings = (enginePort: number): string => `[gateway]
observability.enabled = false

[models.bench]
routing = ["engine"]

[models.bench.providers.engine]
type = "openai"
model_name = "bench"
api_base = "http://127.0.0.1:${enginePort}/v1"
api_key_location = "none"
`;

/** TensorZero's gateway, written in Rust. */
export const tensorzero: Peer = {
  name: 'tensorzero',
  version: '2026.6.0',
  does: ['routing by model'],
  lacks: ['keys and limits: they need a PostgreSQL with pg_cron and pgvector', 'usage: it needs ClickHouse or that PostgreSQL'],
  files: { 'requirements.txt': REQUIREMENTS, 'start.py': START },
  install: [
    ['python3', '-m', 'venv', '.'],
    ['bin/pip', 'install', '--quiet', '--no-deps', '--requirement', 'requirements.txt'],
  ],
  settings: ({ enginePort }) => ({ 'tensorzero.toml': settings(enginePort) }),
  start: ({ installed, folder }) => ({
    words: [join(installed, 'bin/python'), join(installed, 'start.py'), join(folder, 'tensorzero.toml')],
  }),
  target: (_place, stdout) => {
    const base = /^http:\/\/\S+$/m.exec(stdout)?.[0];
    if (base === undefined) return null;
    const { port, pathname } = new URL(base);
    const path = `${pathname}/chat/completions`;
    return { ports: [Number(port)], path, model: 'tensorzero::model_name::bench', key: null, keyHeader: 'authorization' };
  },
};
