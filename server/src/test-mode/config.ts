import type { Environment } from '../config/reader.ts'
import { type Config, loadConfig } from '../config.ts'

/** Test mode must not change or reach anything real, and sets the last three itself. */
const IGNORED = [
  'DATABASE_URL',
  'DATABASE_DIRECT_URL',
  'LATCHKEY_DATA_DIR',
  'LATCHKEY_ENCRYPTION_KEY',
  'SMTP_URL',
  'WORKERS',
  'PASSWORD_HASH_MEMORY_MIB',
  'KEY_ROTATION_DAYS',
]

/** A test may receive webhooks and publish documents and keys of clients on its own machine. */
const LOOPBACK_NETWORKS = ['127.0.0.0/8', '::1/128']

/** A rotation after a jump of the clock would surprise applications that cache the keys. */
const NO_KEY_ROTATION_DAYS = 36_500

export interface TestConfig {
  config: Config
  /** Undefined: http://localhost with the port. */
  baseUrl: string | undefined
}

/** Port 0 means a free port. Without PORT it is 0. */
export function loadTestConfig(env: Environment): TestConfig {
  const { PORT = '', ...others } = Object.fromEntries(Object.entries(env).filter(([name]) => !IGNORED.includes(name)))
  const isFreePort = PORT === '' || PORT === '0'
  const config = loadConfig('demo', { LOG_LEVEL: 'warn', ...others, ...(!isFreePort && { PORT }) })
  return {
    baseUrl: env.BASE_URL ? config.baseUrl : undefined,
    config: {
      ...config,
      port: isFreePort ? 0 : config.port,
      keyRotationDays: NO_KEY_ROTATION_DAYS,
      // Hashing with the memory of production would take most of the time of a test suite.
      passwordHashMemoryMib: 1,
      webhooks: { allowedNetworks: [...config.webhooks.allowedNetworks, ...LOOPBACK_NETWORKS] },
      outsideClients: { allowedNetworks: LOOPBACK_NETWORKS },
    },
  }
}
