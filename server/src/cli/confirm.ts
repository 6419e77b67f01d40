import { createInterface } from 'node:readline/promises'

/** Asks on the terminal. Any answer except yes is a no. */
export async function confirm(question: string): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stdout })
  const closed = new Promise<string>((resolve) => lines.once('close', () => resolve('')))
  // Ctrl-C is a no.
  lines.once('SIGINT', () => lines.close())
  const answer = await Promise.race([lines.question(`${question} [y/N] `), closed])
  lines.close()
  return /^y(?:es)?$/i.test(answer.trim())
}
