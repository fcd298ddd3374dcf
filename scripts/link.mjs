// Links the compiled programs: the second step of `npm run build`.
import { fileURLToPath } from 'node:url';
import { linkPrograms } from './lib/link.mjs';

await linkPrograms(fileURLToPath(new URL('..', import.meta.url)));
