/** Settings and readiness report of the programs that the bench starts. */

export interface Settings {
  host: string
  port: number
  databaseUrl: string
}

export function readSettings(): Settings {
  const { HOST: host = '127.0.0.1', PORT, DATABASE_URL: databaseUrl } = process.env
  if (!PORT || !databaseUrl) throw new Error('PORT and DATABASE_URL must be set.')
  process.once('SIGTERM', () => process.exit(0))
  return { host, port: Number(PORT), databaseUrl }
}

/** Writes the line that the bench waits for. */
export const reportReady = (outputs: Record<string, string>): void =>
  void process.stdout.write(`${JSON.stringify({ ready: true, ...outputs })}\n`)
