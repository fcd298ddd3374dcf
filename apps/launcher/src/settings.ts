const OIDC = ['OIDC_ISSUER', 'OIDC_CLIENT_ID'];
const PROXIES = ['HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY', 'https_proxy', 'http_proxy', 'no_proxy'];

/** Variables that every process gets. */
export const COMMON_SETTINGS: readonly string[] = ['LOG_LEVEL', 'OPS_HOST'];

/**
 * Variables that `npm start` passes on from its environment, by app. The other variables of an app are set by `npm start`: addresses,
 * ports, folders, secrets, allow lists and the shutdown time.
 */
export const SETTINGS: Readonly<Record<string, readonly string[]>> = {
  'keys-service': [...OIDC, 'QUOTA_KEYS', 'QUOTA_MEMBERS', 'QUOTA_INVITATIONS', 'USAGE_ORPHAN_WAIT_MS'],
  'deployments-service': [
    'SEND_CLEAR_CREDENTIALS',
    'DEFAULT_SLOTS',
    'DEFAULT_THREADS',
    'THREADS_MAX',
    'SLOTS_MAX',
    'CONTEXT_MAX',
    'REPLICAS_MAX',
    'QUOTA_DEPLOYMENTS',
    'QUOTA_REPLICAS',
    'QUOTA_ALIASES',
    'HANDOVER_MS',
    'UNKNOWN_MODEL_BYTES',
    'CHANGES_PER_MINUTE',
  ],
  'inference-worker': [
    ...PROXIES,
    'ZONE',
    'GPU',
    'MODEL_CACHE_BYTES',
    'DOWNLOAD_STALL_MS',
    'WORKER_MEM_BYTES',
    'RUNNER_MEM_BYTES',
    'RUNNER_UID',
    'RUNNER_SILENCE_MS',
    'UNLOAD_GRACE_MS',
    'LLAMA_SERVER',
    'LLAMA_SERVER_ARGS',
    'HTTP_ENGINE_SLOTS',
    'IMAGE_HOSTS',
  ],
  gateway: [
    'PUBLIC_BASE_URL',
    'CORS_ORIGINS',
    'IMAGE_HOSTS',
    'BODY_BYTES_MAX',
    'BODIES_BYTES_MAX',
    'ANSWERS_BYTES_MAX',
    'UPLOADS_PER_ACCOUNT_MAX',
    'BODY_BYTES_PER_S_MIN',
    'CONNECTIONS_MAX',
    'CONNECTIONS_PER_ADDRESS_MAX',
    'CONNECTIONS_PER_ACCOUNT_MAX',
    'SECURITY_CONTACT',
    'INVALID_KEYS_PER_S',
    'KEYS_ABSENT_GRACE_MS',
    'FIRST_TOKEN_TIMEOUT_MS',
    'ENGINE_SILENCE_MS',
    'QUEUE_WAIT_MS',
    'SHUTDOWN_GRACE_MS',
  ],
  console: [
    ...OIDC,
    'OIDC_CLIENT_SECRET',
    'OIDC_SCOPES',
    'OIDC_NAME',
    'CONSOLE_BASE_URL',
    'CONSOLE_COOKIES',
    'CONSOLE_PROXIES',
    'CONSOLE_CONNECTIONS_MAX',
    'CONSOLE_CONNECTIONS_PER_ADDRESS',
    'CONSOLE_BODIES_BYTES_MAX',
    'SIGN_INS_PER_MIN',
    'SECURITY_CONTACT',
  ],
};
