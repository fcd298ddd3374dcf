/** What Vite puts in place of the call: every file that the pattern names, loaded. */
interface ImportMeta {
  glob<T>(pattern: string, options: { readonly eager: true }): Record<string, T>;
}
