import { join } from 'node:path';
import { CHAT_PATH } from '../ways/way.js';
import type { Peer } from './peer.js';

const KEY = 'bench-client-key';

/** What its start imports; the servers among them never run. */
const REQUIREMENTS = `sglang-router==0.3.2
setproctitle==1.3.8
aiohttp==3.14.5
aiohappyeyeballs==2.7.1
aiosignal==1.4.0
annotated-doc==0.0.7
annotated-types==0.8.0
anyio==4.16.0
attrs==26.1.0
click==8.5.1
fastapi==0.165.0
frozenlist==1.8.0
h11==0.16.0
idna==3.20
multidict==7.2.1
opentelemetry-api==1.45.2
orjson==3.13.0
propcache==0.5.4
pydantic==2.14.4
pydantic_core==2.50.5
starlette==1.10.0
typing-inspection==0.4.5
typing_extensions==4.16.0
uvicorn==0.54.0
yarl==1.25.1
`;

/** The gateway of SGLang, written in Rust. */
export const sglangRouter: Peer = {
  name: 'sglang-router',
  version: '0.3.2',
  does: ['one key', 'a limit of requests at once and a second', 'routing by cached prefix', 'metrics'],
  lacks: ['more than one key', 'limits by key', 'usage'],
  files: { 'requirements.txt': REQUIREMENTS },
  install: [
    ['python3', '-m', 'venv', '.'],
    ['bin/pip', 'install', '--quiet', '--no-deps', '--requirement', 'requirements.txt'],
  ],
  start: ({ installed, enginePort, port, opsPort }) => ({
    words: [
      join(installed, 'bin/python'),
      ...['-m', 'sglang_router.launch_router', '--host', '127.0.0.1', '--port', String(port)],
      ...['--worker-urls', `http://127.0.0.1:${enginePort}`, '--policy', 'cache_aware', '--api-key', KEY],
      ...['--max-concurrent-requests', '4096', '--queue-size', '4096', '--rate-limit-tokens-per-second', '100000'],
      ...['--prometheus-host', '127.0.0.1', '--prometheus-port', String(opsPort), '--log-level', 'warn'],
    ],
  }),
  target: ({ port }) => ({ ports: [port], path: CHAT_PATH, model: 'bench', key: KEY, keyHeader: 'authorization' }),
  refusedKey: 'bench-other-key',
};
