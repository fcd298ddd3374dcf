import { fileURLToPath } from 'node:url';
import tailwindcss from '@tailwindcss/vite';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import { defineConfig, type Plugin } from 'vite';

/** The console that `vite` alone passes requests on to while somebody works on the dashboard. */
const CONSOLE = 'http://127.0.0.1:8081';

/** Smaller files gain nothing. In bytes. */
const COMPRESS_FROM = 512;

/** Puts a brotli and a gzip copy beside each text file of a build, for the console to send. */
const compress = (): Plugin => ({
  name: 'compress',
  apply: 'build',
  async writeBundle({ dir = '' }) {
    const entries = await readdir(dir, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile() && /\.(?:html|js|css|svg|txt)$/.test(entry.name));
    await Promise.all(
      files.map(async (entry) => {
        const path = join(entry.parentPath, entry.name);
        const bytes = await readFile(path);
        if (bytes.length < COMPRESS_FROM) return;
        await writeFile(`${path}.br`, await promisify(brotliCompress)(bytes));
        await writeFile(`${path}.gz`, await promisify(gzip)(bytes, { level: 9 }));
      }),
    );
  },
});

/** The font that every page needs first; the one for code is fetched when a page shows code. */
const FIRST_FONT = /assets\/geist-latin-[^/]*\.woff2$/;

/** Names the first font in the page itself: found in the styles alone, it would wait for them. */
const preloadFont = (): Plugin => ({
  name: 'preload-font',
  apply: 'build',
  transformIndexHtml(_html, { bundle = {} }) {
    const fonts = Object.keys(bundle).filter((file) => FIRST_FONT.test(file));
    const attrs = { rel: 'preload', as: 'font', type: 'font/woff2', crossorigin: true };
    return fonts.map((file) => ({ tag: 'link', attrs: { ...attrs, href: `/${file}` }, injectTo: 'head-prepend' as const }));
  },
});

export default defineConfig({
  plugins: [tailwindcss(), compress(), preloadFont()],
  // From its source: the bundle does not wait for the build of libraries.
  resolve: {
    alias: { '@slipway/contracts/engines': fileURLToPath(new URL('../../libs/contracts/src/engines/index.ts', import.meta.url)) },
  },
  // The console answers its own pages alone, so the proxy says that it is one.
  server: {
    proxy: Object.fromEntries(['/api', '/uploads', '/downloads'].map((path) => [path, { target: CONSOLE, headers: { origin: CONSOLE } }])),
  },
  build: {
    manifest: true,
    // The content security policy knows no data: scripts, and a file in the markup would not be cached.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    target: 'es2023',
    rolldownOptions: {
      // Libraries mark what runs in browsers for frameworks that also run on servers.
      onLog: (level, log, report) => {
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') report(level, log);
      },
    },
  },
});
