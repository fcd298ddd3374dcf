// Exits with 0 when a URL answers with success: replaces the wget of an image.
try {
  const response = await fetch(process.argv[2], { signal: AbortSignal.timeout(2_000) });
  process.exit(response.ok ? 0 : 1);
} catch {
  process.exit(1);
}
