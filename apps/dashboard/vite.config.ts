import tailwindcss from '@tailwindcss/vite';
import { defineConfig } from 'vite';

/** The console that `vite` alone passes requests on to while somebody works on the dashboard. */
const CONSOLE = 'http://127.0.0.1:8081';

export default defineConfig({
  plugins: [tailwindcss()],
  // The console answers its own pages alone, so the proxy says that it is one.
  server: { proxy: { '/api': { target: CONSOLE, headers: { origin: CONSOLE } } } },
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
