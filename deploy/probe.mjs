// Health check of a container: asks the process in it on its ops port. Exits with 0 when it is ready.
const url = `http://127.0.0.1:${process.env.OPS_PORT}${process.argv[2] ?? '/readyz'}`;
try {
  const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
  console.log(`${response.status} ${await response.text()}`);
  process.exit(response.ok ? 0 : 1);
} catch (error) {
  console.log(`${url}: ${error.cause?.code ?? error.message}`);
  process.exit(1);
}
