// Exits with 0 when a URL answers with success: stands for the wget of an image that this machine lacks.
try {
  const response = await fetch(process.argv[2], { signal: AbortSignal.timeout(2_000) });
  process.exit(response.ok ? 0 : 1);
} catch {
  process.exit(1);
}
