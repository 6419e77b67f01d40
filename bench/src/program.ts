/** What the programs of the bench have in common: where they listen, and how they say that they do. */

export interface Settings {
  host: string
  port: number
  databaseUrl: string
}

/** The settings of a program that was started by the bench. */
export function readSettings(): Settings {
  const { HOST: host = '127.0.0.1', PORT, DATABASE_URL: databaseUrl } = process.env
  if (!PORT || !databaseUrl) throw new Error('PORT and DATABASE_URL must be set.')
  process.once('SIGTERM', () => process.exit(0))
  return { host, port: Number(PORT), databaseUrl }
}

/** One line to whoever started the program, with what they need to know. */
export const tellReady = (facts: Record<string, string>): void =>
  void process.stdout.write(`${JSON.stringify({ ready: true, ...facts })}\n`)
